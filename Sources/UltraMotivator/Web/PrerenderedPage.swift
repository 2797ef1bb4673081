import MotivatorServer
import Synchronization

/// A page that is rendered once, with slots for the values that differ between visitors.
struct PrerenderedPage: Sendable {
    /// A value that is inserted for each visitor.
    enum Slot: CaseIterable, Sendable {
        case formToken, userName, title, sentence
    }

    private struct Part: Sendable {
        /// The bytes before the slot.
        let bytes: [UInt8]
        let slot: Slot
    }

    private let parts: [Part]
    private let end: [UInt8]

    /// - Parameter render: renders the page from its template. `text` returns the value of each slot.
    init(_ render: (_ text: (Slot) -> String) -> [UInt8]) {
        // A long random marker occurs nowhere else in the page. Escaping does not change letters and digits.
        let marker = (0..<4).map { _ in String(UInt64.random(in: 0 ... .max), radix: 36) }.joined()
        let markers = Slot.allCases.enumerated().map { (slot: $1, bytes: Array("\(marker)x\($0)x".utf8)) }
        let page = render { slot in
            markers.first { $0.slot == slot }.map { String(decoding: $0.bytes, as: UTF8.self) } ?? ""
        }
        var parts: [Part] = []
        var rest = page[...]
        let beginning = Array(marker.utf8)
        while let start = rest.indices.first(where: { rest[$0] == beginning[0] && rest[$0...].starts(with: beginning) })
        {
            guard let found = markers.first(where: { rest[start...].starts(with: $0.bytes) }) else { break }
            parts.append(Part(bytes: Array(rest[..<start]), slot: found.slot))
            rest = rest[(start + found.bytes.count)...]
        }
        self.parts = parts
        end = Array(rest)
    }

    /// Returns the page for one visitor.
    /// - Parameter text: returns the unescaped value of each slot.
    func content(_ text: (Slot) -> String) -> [UInt8] {
        var content: [UInt8] = []
        content.reserveCapacity(parts.reduce(end.count) { $0 + $1.bytes.count + 128 })
        for part in parts {
            content += part.bytes
            content += HTMLText.escape(text(part.slot)).utf8
        }
        content += end
        return content
    }
}

/// A form whose empty pages are rendered once.
struct PrerenderedForm: Sendable {
    let form: FormPage
    private let signedOut: PrerenderedPage
    private let signedIn: PrerenderedPage

    init(_ form: FormPage, _ pages: Pages) {
        self.form = form
        signedOut = PrerenderedPage { text in
            pages.content(form.addressed(formToken: text(.formToken), signedInAs: nil))
        }
        signedIn = PrerenderedPage { text in
            pages.content(form.addressed(formToken: text(.formToken), signedInAs: text(.userName)))
        }
    }

    /// Returns the empty form for one visitor.
    /// - Parameter name: the user name of the visitor's session; nil without a session.
    func content(formToken: String, signedInAs name: String?) -> [UInt8] {
        (name == nil ? signedOut : signedIn).content { slot in
            switch slot {
            case .formToken: formToken
            case .userName: name ?? ""
            case .title, .sentence: ""
            }
        }
    }
}

/// A value that is made on first use and then kept.
final class Lazy<Value: AnyObject & Sendable>: Sendable {
    private let made = AtomicLazyReference<Value>()
    private let make: @Sendable () -> Value

    init(_ make: @escaping @Sendable () -> Value) {
        self.make = make
    }

    var value: Value { made.load() ?? made.storeIfNil(make()) }
}
