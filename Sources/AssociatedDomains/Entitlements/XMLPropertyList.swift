import SourceJSON

/// Puts the tags and texts of an XML property list together to a value, with its own stack.
struct XMLPropertyList {
    typealias Fault = Entitlements.Fault

    /// The most elements inside one another: entitlements have four.
    package static let maximumDepth = 64

    private var scanner: XMLScanner
    private var open: [Container] = []
    private var root: PropertyListValue?

    /// An element that is not closed yet.
    private struct Container {
        package enum Kind { case list, dictionary, array, text }
        package let kind: Kind
        package let name: String
        /// Where its content begins.
        package let content: SourceLocation
        package var elements: [PropertyListValue] = []
        package var members: [PropertyListValue.Member] = []
        package var key: (text: String, place: SourceLocation)?
        package var text = ""
    }

    /// The value that a list holds.
    ///
    /// - Parameter bytes: the list; at most `Entitlements.maximumSize` of them.
    package static func root(of bytes: [UInt8]) throws(Fault) -> PropertyListValue {
        var list = XMLPropertyList(scanner: try XMLScanner(bytes))
        return try list.parse()
    }

    private init(scanner: XMLScanner) {
        self.scanner = scanner
    }

    private mutating func parse() throws(Fault) -> PropertyListValue {
        while true {
            switch try scanner.next() {
            case .start(let name, let isEmpty):
                try begin(name)
                if isEmpty { try end(name) }
            case .end(let name): try end(name)
            case .text(let text): try take(text)
            case .finished:
                if let container = open.last { throw scanner.fault(.cutOff(inside: "<\(container.name)>")) }
                guard let root else { throw scanner.fault(.noValue) }
                return root
            }
        }
    }

    private mutating func begin(_ name: String) throws(Fault) {
        if let container = open.last, container.kind == .text { throw scanner.fault(.elementInside(container.name)) }
        if open.isEmpty, root != nil { throw scanner.fault(.secondValue) }
        guard open.count < Self.maximumDepth else { throw scanner.fault(.tooDeep(limit: Self.maximumDepth)) }
        let kind: Container.Kind
        switch name {
        case "plist" where open.isEmpty: kind = .list
        case "dict": kind = .dictionary
        case "array": kind = .array
        case "key":
            guard open.last?.kind == .dictionary else { throw scanner.fault(.keyOutsideDictionary) }
            if let key = open.last?.key { throw scanner.fault(.missingValue(key: key.text)) }
            kind = .text
        case "string", "integer", "real", "date", "data", "true", "false": kind = .text
        case _: throw scanner.fault(.unknownElement(name))
        }
        if name != "key" {
            if open.last?.kind == .dictionary, open.last?.key == nil { throw scanner.fault(.missingKey) }
            if open.last?.kind == .list, open.last?.elements.isEmpty == false { throw scanner.fault(.secondValue) }
        }
        open.append(Container(kind: kind, name: name, content: scanner.place(at: scanner.offset)))
    }

    private mutating func end(_ name: String) throws(Fault) {
        guard let container = open.last else { throw scanner.fault(.wrongEnd(found: name, expected: nil)) }
        guard container.name == name else {
            throw scanner.fault(.wrongEnd(found: name, expected: container.name))
        }
        if let key = container.key { throw scanner.fault(.missingValue(key: key.text)) }
        open.removeLast()
        switch container.kind {
        case .list:
            guard let value = container.elements.first else { throw scanner.fault(.noValue) }
            add(value)
        case .dictionary: add(PropertyListValue(place: container.content, content: .dictionary(container.members)))
        case .array: add(PropertyListValue(place: container.content, content: .array(container.elements)))
        case .text:
            if name == "key" {
                open[open.count - 1].key = (container.text, container.content)
            } else {
                add(PropertyListValue(place: container.content, content: content(of: container)))
            }
        }
    }

    private func content(of container: Container) -> PropertyListValue.Content {
        switch container.name {
        case "string": .string(container.text)
        case "true", "false": .opaque(.boolean)
        case "date": .opaque(.date)
        case "data": .opaque(.data)
        case _: .opaque(.number)
        }
    }

    private mutating func add(_ value: PropertyListValue) {
        guard let last = open.indices.last else {
            root = value
            return
        }
        // In place: a copy of the container would copy its elements with each one that is added.
        if let key = open[last].key {
            open[last].members.append(PropertyListValue.Member(key: key.text, place: key.place, value: value))
            open[last].key = nil
        } else {
            open[last].elements.append(value)
        }
    }

    private mutating func take(_ text: String) throws(Fault) {
        if let last = open.indices.last, open[last].kind == .text {
            open[last].text += text
            return
        }
        guard let start = text.utf8.firstIndex(where: { !$0.isSpaceInXML }) else { return }
        // A text with references is shorter than its bytes, but up to its first visible character it has none.
        let offset = scanner.tokenStart + text.utf8.distance(from: text.utf8.startIndex, to: start)
        guard let container = open.last else {
            throw scanner.fault(root == nil ? .noValue : .secondValue, at: offset)
        }
        throw scanner.fault(.text(inside: container.name), at: offset)
    }
}
