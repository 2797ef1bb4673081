/// The values of every field line that carries one name, in the order they came.
///
/// A list-valued field may be spread over several lines (RFC 9110 §5.3), and a field that must be single may be doubled
/// by mistake or malice; both have to reach the code that judges them. Almost every field comes once or never, so those
/// two cases allocate nothing.
public enum FieldLines: Sequence {
    /// The message does not carry the field.
    case absent
    /// One line.
    case one(FieldBytes)
    /// Two lines or more, in the order they came.
    case several([FieldBytes])

    /// The lines of a field that the message does not carry.
    public init() {
        self = .absent
    }

    /// Adds the value of the next line of the same name.
    public mutating func append(_ value: FieldBytes) {
        switch self {
        case .absent: self = .one(value)
        case .one(let first): self = .several([first, value])
        case .several(let values): self = .several(values + [value])
        }
    }

    /// Whether the message carries no such field. A field with an empty value is there.
    public var isAbsent: Bool {
        switch self {
        case .absent: true
        case .one: false
        case .several(let values): values.isEmpty
        }
    }

    /// The value if there is exactly one line: what a field that is not a list may be read from.
    public var only: FieldBytes? {
        switch self {
        case .absent: nil
        case .one(let value): value
        case .several(let values): values.count == 1 ? values[0] : nil
        }
    }

    /// Starts at the first line.
    public func makeIterator() -> Iterator {
        Iterator(lines: self)
    }

    /// Walks the values in order.
    public struct Iterator: IteratorProtocol {
        private let lines: FieldLines
        private var index = 0

        fileprivate init(lines: FieldLines) {
            self.lines = lines
        }

        /// The value of the next line.
        public mutating func next() -> FieldBytes? {
            defer { index += 1 }
            switch lines {
            case .absent: return nil
            case .one(let value): return index == 0 ? value : nil
            case .several(let values): return index < values.count ? values[index] : nil
            }
        }
    }
}
