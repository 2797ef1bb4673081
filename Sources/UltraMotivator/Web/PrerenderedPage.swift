import MotivatorServer
import Synchronization

/// A page that is rendered once, with slots for the values that differ between visitors.
struct PrerenderedPage: Sendable {
    private struct Part: Sendable {
        /// The bytes before the slot.
        let bytes: [UInt8]
        let slot: Int
    }

    private let parts: [Part]
    private let end: [UInt8]

    /// - Parameter render: renders the page from its template, with a text for each slot.
    init(slots: Int, _ render: ([String]) -> [UInt8]) {
        // A long random marker occurs nowhere else in the page. Escaping does not change letters and digits.
        let marker = (0..<4).map { _ in String(UInt64.random(in: 0 ... .max), radix: 36) }.joined()
        let markers = (0..<slots).map { "\(marker)x\($0)x" }
        var parts: [Part] = []
        var rest = render(markers)[...]
        let beginning = Array(marker.utf8)
        while let start = rest.indices.first(where: { rest[$0] == beginning[0] && rest[$0...].starts(with: beginning) })
        {
            guard let slot = markers.firstIndex(where: { rest[start...].starts(with: $0.utf8) }) else { break }
            parts.append(Part(bytes: Array(rest[..<start]), slot: slot))
            rest = rest[(start + markers[slot].utf8.count)...]
        }
        self.parts = parts
        end = Array(rest)
    }

    /// Returns the page with the unescaped value of each slot.
    func content(_ values: [String]) -> [UInt8] {
        var content: [UInt8] = []
        content.reserveCapacity(parts.reduce(end.count) { $0 + $1.bytes.count + 128 })
        for part in parts {
            content += part.bytes
            content += HTMLText.escape(values[part.slot]).utf8
        }
        content += end
        return content
    }
}

struct PrerenderedForm: Sendable {
    let form: FormPage
    private let signedOut: PrerenderedPage
    private let signedIn: PrerenderedPage

    init(_ form: FormPage, _ pages: Pages) {
        self.form = form
        signedOut = PrerenderedPage(slots: 1) { text in
            pages.content(form.addressed(formToken: text[0], signedInAs: nil))
        }
        signedIn = PrerenderedPage(slots: 2) { text in
            pages.content(form.addressed(formToken: text[0], signedInAs: text[1]))
        }
    }

    /// Returns the empty form for one visitor.
    /// - Parameter name: the user name of the visitor's session; nil without a session.
    func content(formToken: String, signedInAs name: String?) -> [UInt8] {
        name.map { signedIn.content([formToken, $0]) } ?? signedOut.content([formToken])
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
