import MotivatorServer
import Synchronization

/// A page that is rendered once, with slots for the values that differ between visitors.
final class PrerenderedPage: Sendable {
    private let start: [UInt8]
    /// The slots in the order of the page, each with the bytes after it.
    private let parts: [(slot: Int, rest: [UInt8])]

    /// - Parameter render: renders the page from its template, with a text for each slot.
    init(slots: Int, _ render: ([String]) -> [UInt8]) {
        // A long random marker occurs nowhere else in the page. Escaping does not change letters and digits.
        let marker = (0..<4).map { _ in String(UInt64.random(in: 0 ... .max), radix: 36) }.joined() + "x"
        let page = String(decoding: render((0..<slots).map { "\(marker)\($0)x" }), as: UTF8.self)
        let pieces = page.split(separator: marker, omittingEmptySubsequences: false)
        start = Array(pieces[0].utf8)
        parts = pieces.dropFirst().map { piece in
            let number = piece.prefix { $0 != "x" }
            return (Int(number) ?? 0, Array(piece.dropFirst(number.count + 1).utf8))
        }
    }

    /// Returns the page with the unescaped value of each slot.
    func content(_ values: [String]) -> [UInt8] {
        var content = start
        content.reserveCapacity(parts.reduce(start.count) { $0 + $1.rest.count + 128 })
        for part in parts {
            content += HTMLText.escape(values[part.slot]).utf8
            content += part.rest
        }
        return content
    }
}

struct PrerenderedForm: Sendable {
    let form: FormPage
    private let signedOut: Lazy<PrerenderedPage>
    private let signedIn: Lazy<PrerenderedPage>

    init(_ form: FormPage, _ pages: Pages) {
        self.form = form
        signedOut = Lazy {
            PrerenderedPage(slots: 1) { pages.content(form.addressed(formToken: $0[0], signedInAs: nil)) }
        }
        signedIn = Lazy {
            PrerenderedPage(slots: 2) { pages.content(form.addressed(formToken: $0[0], signedInAs: $0[1])) }
        }
    }

    /// Returns the empty form for one visitor.
    /// - Parameter name: the user name of the visitor's session; nil without a session.
    func content(formToken: String, signedInAs name: String?) -> [UInt8] {
        name.map { signedIn.value.content([formToken, $0]) } ?? signedOut.value.content([formToken])
    }
}

/// A value that is made on first use and then kept.
final class Lazy<Value: AnyObject & Sendable>: Sendable {
    private let made = AtomicLazyReference<Value>()
    private let make: @Sendable () -> Value

    init(_ make: @escaping @Sendable () -> Value) { self.make = make }

    var value: Value { made.load() ?? made.storeIfNil(make()) }
}
