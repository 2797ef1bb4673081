import SourceJSON

/// Reads the service `applinks`: what a device takes becomes a `LinkFile`, what it skips becomes a remark.
struct LinkReader {
    private(set) var file = LinkFile()

    private var remarks: [UniversalLinks.Remark] = []
    private var compiler: LinkCompiler
    private let applinks: JSONObject
    private let location: SourceLocation
    private var defaults = ComponentKeys()
    /// For each app the first component that matches every URL.
    private var catchAlls: [Int: SourceLocation] = [:]

    /// - Parameters:
    ///   - applinks: the object of the service.
    ///   - location: where it begins.
    init(_ applinks: JSONObject, location: SourceLocation) {
        self.applinks = applinks
        self.location = location
        compiler = LinkCompiler(SubstitutionVariables(applinks["substitutionVariables"]))
    }

    /// The remarks, each once, in the order of the file.
    var sortedRemarks: [UniversalLinks.Remark] {
        var seen: Set<UniversalLinks.Remark> = []
        let all = (remarks + compiler.remarks).filter { seen.insert($0).inserted }
        return all.enumerated()
            .sorted { ($0.element.location, $0.offset) < ($1.element.location, $1.offset) }
            .map(\.element)
    }

    /// Reads everything.
    package mutating func read() {
        checkKeys(applinks, known: KnownKeys.applinks)
        defaults = readDefaults(of: applinks)
        if let apps = applinks["apps"] {
            if let elements = apps.array {
                if !elements.isEmpty { remark(.legacyApps(count: elements.count), apps.location) }
            } else {
                wrongKind("apps", apps, .array)
            }
        }
        readDetails()
        compiler.checkVariables()
        file.store = compiler.store
    }

    private mutating func readDetails() {
        guard let details = applinks["details"] else { return remark(.noDetails, location) }
        switch details.content {
        case .array(let entries):
            if entries.isEmpty { remark(.noDetails, details.location) }
            for (index, entry) in entries.enumerated() {
                guard let object = entry.object else {
                    wrongKind("details", entry, .object)
                    continue
                }
                readDetail(object, index: index, location: entry.location, legacyApp: nil)
            }
        case .object(let entries):
            if entries.members.isEmpty { remark(.noDetails, details.location) }
            for (index, entry) in entries.members.enumerated() {
                guard let object = entry.value.object else {
                    wrongKind(entry.key, entry.value, .object)
                    continue
                }
                readDetail(object, index: index, location: entry.keyLocation, legacyApp: entry)
            }
        case .string, .number, .boolean, .null: wrongKind("details", details, .array)
        }
    }

    private mutating func readDetail(
        _ object: JSONObject, index: Int, location: SourceLocation, legacyApp: JSONObject.Member?
    ) {
        checkKeys(object, known: KnownKeys.detail)
        let first = file.components.count
        let detail = file.details.count
        file.details.append(first..<first)
        let apps =
            if let legacyApp {
                [file.addApp(legacyApp.key, at: legacyApp.keyLocation).index]
            } else {
                readApps(of: object, location: location)
            }
        let keys = readDefaults(of: object).over(defaults)
        readPatterns(of: object, index: index, location: location, defaults: keys)
        file.details[detail] = first..<file.components.count
        checkReach(detail, apps, location: location)
    }

    /// - Returns: the apps of the detail, each once.
    private mutating func readApps(of object: JSONObject, location: SourceLocation) -> [Int] {
        let one = object.member("appID")
        var apps: [Int] = []
        if let several = object["appIDs"], let elements = several.array {
            var locations: [Int: SourceLocation] = [:]
            if let one { remark(.appIDBesideAppIDs, one.keyLocation) }
            for element in elements {
                guard let identifier = element.string else {
                    wrongKind("appIDs", element, .string)
                    continue
                }
                let app = file.addApp(identifier, at: element.location)
                if let first = locations[app.index] {
                    remark(.appTwice(identifier, first: first), element.location)
                } else {
                    apps.append(app.index)
                    locations[app.index] = element.location
                }
            }
        } else {
            if let several = object["appIDs"] { wrongKind("appIDs", several, .array) }
            if let one, let identifier = one.value.string {
                apps.append(file.addApp(identifier, at: one.value.location).index)
            } else if let one {
                wrongKind("appID", one.value, .string)
            }
        }
        if apps.isEmpty { remark(.noApps, location) }
        return apps
    }

    private mutating func add(_ component: LinkFile.Component) {
        file.add(component, prefix: compiler.prefix(of: component), needed: compiler.neededPairs(of: component))
    }

    private mutating func readPatterns(
        of object: JSONObject, index: Int, location: SourceLocation, defaults: ComponentKeys
    ) {
        let (components, paths) = (object.member("components"), object.member("paths"))
        if let components, let elements = components.value.array {
            if let paths { remark(.bothGenerations, paths.keyLocation) }
            if elements.isEmpty { remark(.emptyPatterns(key: "components"), components.value.location) }
            compiler.expect(elements.count)
            for (number, element) in elements.enumerated() {
                guard let object = element.object else {
                    wrongKind("components", element, .object)
                    continue
                }
                let keys = read(object, known: KnownKeys.component)
                add(compiler.component(keys, defaults, origin(number, index, element)))
            }
            return
        }
        if let components { wrongKind("components", components.value, .array) }
        guard let paths else {
            if components == nil { remark(.noPatterns, location) }
            return
        }
        guard let elements = paths.value.array else { return wrongKind("paths", paths.value, .array) }
        if elements.isEmpty { remark(.emptyPatterns(key: "paths"), paths.value.location) }
        compiler.expect(elements.count)
        for (number, element) in elements.enumerated() {
            guard let text = element.string else {
                remark(.patternNotString(key: "paths", found: element.kind), element.location)
                continue
            }
            var origin = origin(number, index, element)
            origin.isLegacy = true
            add(compiler.legacyPath(text, defaults, origin))
        }
    }

    private func origin(_ index: Int, _ detail: Int, _ value: JSONValue) -> LinkFile.Origin {
        LinkFile.Origin(number: file.components.count, index: index, detail: detail, location: value.location)
    }

    private mutating func readDefaults(of object: JSONObject) -> ComponentKeys {
        guard let value = object["defaults"] else { return ComponentKeys() }
        guard let defaults = value.object else {
            wrongKind("defaults", value, .object)
            return ComponentKeys()
        }
        return read(defaults, known: KnownKeys.defaults)
    }

    private mutating func read(_ object: JSONObject, known: [String]) -> ComponentKeys {
        checkKeys(object, known: known)
        var keys = ComponentKeys()
        for member in object.members { keys.take(member) }
        return keys
    }

    // MARK: Remarks

    /// Whether each component, and the detail, can ever decide.
    private mutating func checkReach(_ detail: Int, _ apps: [Int], location: SourceLocation) {
        let components = file.details[detail]
        let earlier = apps.map { catchAlls[$0] }
        if let first = earlier.first, let first, !earlier.contains(nil), !components.isEmpty {
            remark(.detailAfterCatchAll(first), location)
        }
        let catchAll = components.first { compiler.isCatchAll(file.components[$0]) }
        for number in components.prefix(while: { $0 <= catchAll ?? components.upperBound }) {
            guard let repeated = file.components[number].repeats else { continue }
            let (own, earlier) = (file.components[number].origin, file.components[repeated.earlier].origin)
            remark(
                .repeated(earlier: earlier.location, repeated.likeness, isLegacy: own.isLegacy), own.location)
        }
        guard let catchAll else { return }
        let origin = file.components[catchAll].origin
        if catchAll + 1 < components.upperBound {
            let count = components.upperBound - catchAll - 1
            remark(
                .afterCatchAll(origin.location, count: count, isLegacy: origin.isLegacy),
                file.components[catchAll + 1].origin.location)
        }
        for app in apps where catchAlls[app] == nil { catchAlls[app] = origin.location }
    }

    private mutating func checkKeys(_ object: JSONObject, known: [String]) {
        for member in object.members where !known.contains(member.key) {
            remark(KnownKeys.remark(on: member.key, known: known), member.keyLocation)
        }
    }

    private mutating func wrongKind(_ key: String, _ value: JSONValue, _ expected: JSONValue.Kind) {
        remark(.wrongKind(key: key, found: value.kind, expected: expected), value.location)
    }

    private mutating func remark(_ kind: UniversalLinks.Remark.Kind, _ location: SourceLocation) {
        remarks.append(UniversalLinks.Remark(kind: kind, location: location))
    }
}

extension JSONObject {
    /// The first member with a key.
    fileprivate func member(_ key: String) -> Member? {
        members.first { $0.key.utf8.elementsEqual(key.utf8) }
    }
}
