/// The values of all field lines with the same name, in order.
///
/// A list field may have several lines (RFC 9110 §5.3), and an attacker may repeat a field that must occur only once.
/// Callers must handle both cases. The usual case, a field with one line, requires no allocation.
package enum FieldLines: Sequence {
    /// The message does not contain the field.
    case absent
    /// One line.
    case one(FieldBytes)
    /// Two or more lines, in order of arrival.
    case several([FieldBytes])

    /// Creates an empty sequence.
    package init() {
        self = .absent
    }

    /// Appends the value of the next line.
    package mutating func append(_ value: FieldBytes) {
        switch self {
        case .absent: self = .one(value)
        case .one(let first): self = .several([first, value])
        case .several(let values): self = .several(values + [value])
        }
    }

    /// Whether the message does not contain the field. A field with an empty value is present.
    package var isAbsent: Bool {
        switch self {
        case .absent: true
        case .one: false
        case .several(let values): values.isEmpty
        }
    }

    /// The value if there is exactly one line, for fields that are not lists.
    package var only: FieldBytes? {
        switch self {
        case .absent: nil
        case .one(let value): value
        case .several(let values): values.count == 1 ? values[0] : nil
        }
    }

    /// Returns an iterator that starts at the first line.
    package func makeIterator() -> Iterator {
        Iterator(lines: self)
    }

    /// An iterator over the values in order.
    package struct Iterator: IteratorProtocol {
        private let lines: FieldLines
        private var index = 0

        fileprivate init(lines: FieldLines) {
            self.lines = lines
        }

        /// Returns the value of the next line.
        package mutating func next() -> FieldBytes? {
            defer { index += 1 }
            switch lines {
            case .absent: return nil
            case .one(let value): return index == 0 ? value : nil
            case .several(let values): return index < values.count ? values[index] : nil
            }
        }
    }
}
