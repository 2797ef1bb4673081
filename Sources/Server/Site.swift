package import MotivatorHTTP

package struct Site: Sendable {
    enum Target: Sendable {
        /// A representation for GET and HEAD, selected on the event loop.
        case representation(@Sendable (RequestHead) -> Representation)
        case file(StaticFiles)
        case handler(any Handler, ContentPolicy)
    }

    struct Resource: Sendable {
        /// The path, with the names of its parameters.
        let path: String
        /// The number of the path in `RouteNames`.
        var number = RouteNames.noRoute
        /// The targets, indexed by the method's raw value. A dictionary would add 300 instructions (1%) per request.
        var targets: [Target?] = Array(repeating: nil, count: Method.allCases.count)
        /// The handler that replaces the representation for requests with a query.
        var queried: (any Handler)?
        /// The target of every other method, including unknown methods.
        var others: Target?

        var allow: String {
            let methods = Method.allCases.filter { allows($0) || $0 == .options }
            return methods.filter { $0 != .other }.map(\.name).joined(separator: ", ")
        }

        func allows(_ method: Method) -> Bool { target(for: method) != nil }

        func target(for method: Method) -> Target? {
            targets[Int(method.rawValue)] ?? (method == .head ? targets[Int(Method.get.rawValue)] : nil) ?? others
        }
    }

    private enum Segment: Equatable {
        case exactly([UInt8])
        case parameter
    }

    private(set) var resources: [Resource] = []
    /// The index in `resources` of each path without parameters.
    private var exact = PathTable<Int>()
    private var patterns: [(segments: [Segment], index: Int)] = []
    /// The static files for paths without a route.
    package var files: StaticFiles?
    /// Responds, on the event loop, to every method and path without a route. It uses only the head of the request, and
    /// returns the response without the fields that the server adds. If it is set, `files` is not used.
    package var otherwise: (@Sendable (RequestHead) -> Response)?
    /// The error renderer of this site; nil to use the router's renderer.
    package var errors: ErrorRenderer?

    package init() {}

    /// Serves a representation at a path, for GET and HEAD.
    /// - Parameters:
    ///   - path: an absolute path, compared byte by byte.
    ///   - handler: responds to requests that have a query; nil to ignore the query.
    package mutating func serve(
        _ representation: Representation, at path: String, withQuery handler: (any Handler)? = nil
    ) {
        serve(at: path, withQuery: handler) { _ in representation }
    }

    /// Serves a representation that depends on the head of the request, for GET and HEAD.
    /// - Parameters:
    ///   - path: an absolute path, compared byte by byte.
    ///   - handler: responds to requests that have a query; nil to ignore the query.
    ///   - choice: selects the representation. It runs on the event loop, so it must not block.
    package mutating func serve(
        at path: String, withQuery handler: (any Handler)? = nil,
        _ choice: @escaping @Sendable (RequestHead) -> Representation
    ) {
        update(path) { resource in
            resource.targets[Int(Method.get.rawValue)] = .representation(choice)
            resource.queried = handler
        }
    }

    /// Serves the static file at one path, for GET and HEAD, on a site that does not serve all files.
    /// - Parameter path: an absolute path, compared byte by byte.
    package mutating func serve(_ files: StaticFiles, at path: String) {
        update(path) { $0.targets[Int(Method.get.rawValue)] = .file(files) }
    }

    /// Adds a route.
    /// - Parameters:
    ///   - method: the method; nil for every method, including unknown methods. GET includes HEAD.
    ///   - path: an absolute path; the segment `{name}` matches any one segment.
    package mutating func route(
        _ method: Method?, _ path: String, to handler: any Handler, content: ContentPolicy = .discarded
    ) {
        update(path) { resource in
            let target = Target.handler(handler, content)
            if let method { resource.targets[Int(method.rawValue)] = target } else { resource.others = target }
        }
    }

    private mutating func update(_ path: String, _ change: (inout Resource) -> Void) {
        guard path.contains("{") else {
            let index = exact[Array(path.utf8)] ?? addResource(path)
            exact[Array(path.utf8)] = index
            return change(&resources[index])
        }
        let segments = Self.segments(path)
        if let known = patterns.first(where: { $0.segments == segments }) {
            return change(&resources[known.index])
        }
        let index = addResource(path)
        patterns.append((segments, index))
        change(&resources[index])
    }

    private mutating func addResource(_ path: String) -> Int {
        resources.append(Resource(path: path))
        return resources.count - 1
    }

    /// Assigns numbers to the resources, for the counts of the loops.
    mutating func number(_ names: inout RouteNames) {
        for index in resources.indices { resources[index].number = names.number(of: resources[index].path) }
    }

    private static func segments(_ path: String) -> [Segment] {
        path.split(separator: "/", omittingEmptySubsequences: false).map { part in
            part.hasPrefix("{") ? .parameter : .exactly(Array(part.utf8))
        }
    }

    /// Finds the resource of a path.
    /// - Returns: the index in `resources`, and the parameters in the path.
    @inline(__always)
    func index(of path: FieldBytes) -> (index: Int, parameters: [String])? {
        if let index = exact[path] { return (index, []) }
        return patterns.isEmpty ? nil : pattern(matching: path)
    }

    private func pattern(matching path: FieldBytes) -> (Int, [String])? {
        let parts = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        for (segments, index) in patterns where segments.count == parts.count {
            var parameters: [String] = []
            let matches = zip(segments, parts).allSatisfy { segment, part in
                switch segment {
                case .exactly(let bytes): return part.elementsEqual(bytes)
                case .parameter:
                    guard !part.isEmpty, let text = PercentCoding.decode(FieldBytes(rebasing: part)) else {
                        return false
                    }
                    parameters.append(String(decoding: text, as: UTF8.self))
                    return true
                }
            }
            if matches { return (index, parameters) }
        }
        return nil
    }
}
