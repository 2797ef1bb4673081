import MotivatorServer
import Mustache

/// A set of Mustache templates. Values are escaped.
package struct Renderer: Sendable {
    private let library: Lazy<Library>
    /// The templates whose values are text between tags, except for words of this project.
    private static let texts: Set = ["result", "issue", "trial"]

    /// - Parameter templates: the templates of the program by name. They are parsed before the first page is rendered.
    package init(_ templates: [String: [UInt8]]) {
        library = Lazy { Library(templates) }
    }

    /// The parsed templates.
    private final class Library: Sendable {
        let parsed: MustacheLibrary

        init(_ templates: [String: [UInt8]]) {
            MustacheContentTypes.register(EscapedByScalar(), named: EscapedByScalar.name)
            MustacheContentTypes.register(EscapedByScalar(isBreakable: true), named: EscapedByScalar.breakable)
            var parsed = MustacheLibrary()
            for (name, bytes) in templates {
                let text = String(decoding: bytes, as: UTF8.self)
                // The layout finds the frame in the outer context, next to the page.
                let scoped = text.hasPrefix("{{<layout}}") ? "{{#page}}\n\(text)\n{{/page}}\n" : text
                let type = texts.contains(name) ? EscapedByScalar.breakable : EscapedByScalar.name
                // The tests render every template, so none is malformed.
                try? parsed.register("{{% CONTENT_TYPE: \(type)}}\n" + scoped, named: name)
            }
            self.parsed = parsed
        }
    }

    package func text(_ view: some Any, _ template: String) -> String {
        library.value.parsed.render(Self.data(of: view) ?? "", withTemplate: template) ?? ""
    }

    func page(_ page: some Any, _ template: String, in frame: Frame) -> [UInt8] {
        let data = ["page": Self.data(of: page), "frame": Self.data(of: frame)]
        return Array((library.value.parsed.render(data, withTemplate: template) ?? "").utf8)
    }

    /// Returns the stored properties of a value and of all nested values, by name.
    ///
    /// Otherwise, the library would look up each property by reflection on each use, which is several times slower.
    private static func data(of value: Any) -> Any? {
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .optional: return mirror.children.first.flatMap { data(of: $0.value) }
        case .collection: return mirror.children.compactMap { data(of: $0.value) }
        // Keep values with a description, because templates can show them.
        case .tuple,
            .struct where !(value is any CustomStringConvertible):
            let members = mirror.children.compactMap { child in
                child.label.flatMap { label in data(of: child.value).map { (label, $0) } }
            }
            return Dictionary(members) { $1 }
        case _: return value
        }
    }
}

/// Escapes values in pages. The library's own escaping works on characters, so it misses a quote before a combining
/// mark.
private struct EscapedByScalar: MustacheContentType {
    static let name = "ESCAPED_BY_SCALAR"
    static let breakable = "BREAKABLE"
    /// Whether a line may break after a dot or slash inside an identifier or URL, but not inside an option or a query.
    /// Only for values between tags.
    var isBreakable = false

    func escapeText(_ text: String) -> String {
        let text = HTMLText.escape(text)
        guard isBreakable else { return text }
        return text.replacing(/( -[a-z]+|--[a-z][a-z-]*|\?[a-z]+=\w+)|[A-Za-z0-9][.\/](?=[A-Za-z])/) { match in
            match.output.1.map { "<wbr><bdi>\($0)</bdi>" } ?? "\(match.output.0)<wbr>"
        }
    }
}
