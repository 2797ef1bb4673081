import AssociatedDomains
import HTTPSClient
import MotivatorPlatform
package import SourceJSON

/// Reads the `applinks` service. It compiles what a device accepts and reports what a device skips.
struct LinkReader {
    typealias LinkIssue = UniversalLinks.LinkIssue

    private(set) var compiler: RuleCompiler
    /// The rules as written, in the order of the compiled rules, if the caller needs them.
    fileprivate var written: [WrittenLinks.Rule]?
    private var issues: [LinkIssue] = []
    /// The apps that a detail lists again.
    private(set) var repeatedApps: [(identifier: String, first: SourceLocation, location: SourceLocation)] = []
    private let applinks: JSONObject
    private let location: SourceLocation
    private var defaults: [String: JSONValue] = [:]
    private var details: [RuleReach.Detail] = []

    init(_ applinks: JSONObject, location: SourceLocation, host: String? = nil) {
        self.applinks = applinks
        self.location = location
        compiler = RuleCompiler(SubstitutionVariables(applinks["substitutionVariables"]), host: host)
    }

    /// Returns the reach of all rules. Call this after the file is read.
    func reach() -> RuleReach {
        var reach = RuleReach(compiler)
        for detail in details { reach.check(detail) }
        return reach
    }

    /// Returns the distinct issues, in file order.
    func issues(_ reach: RuleReach) -> [LinkIssue] {
        (issues + compiler.issues + reach.issues).distinct.enumerated()
            .sorted { ($0.element.location, $0.offset) < ($1.element.location, $1.offset) }
            .map(\.element)
    }

    mutating func read() {
        checkKeys(applinks, known: KnownKeys.applinks)
        defaults = readDefaults(of: applinks)
        if let apps = applinks["apps"] {
            if apps.array == nil { wrongKind("apps", apps, .array) }
            if let count = apps.array?.count, count > 0 { issues.report(.legacyApps(count: count), apps.location) }
        }
        readDetails()
        compiler.checkVariables()
    }

    private mutating func readDetails() {
        guard let details = applinks["details"] else {
            return reportMissing(.noDetails, ["details"], in: applinks, KnownKeys.applinks, location)
        }
        switch details.content {
        case .array(let entries):
            if entries.isEmpty { reportMissing(.noDetails, [], in: applinks, KnownKeys.applinks, details.location) }
            for (index, entry) in entries.enumerated() { readDetail(entry, index: index) }
        case .object(let entries) where entries.members.contains { KnownKeys.detail.contains($0.key) }:
            wrongKind("details", details, .array)
        case .object(let entries):
            issues.report(entries.members.isEmpty ? .noDetails : .detailsDictionary, details.location)
            for (index, entry) in entries.members.enumerated() {
                readDetail(entry.value, index: index, legacyApp: entry)
            }
        case .string, .number, .boolean, .null: wrongKind("details", details, .array)
        }
    }

    private mutating func readDetail(_ value: JSONValue, index: Int, legacyApp: JSONObject.Member? = nil) {
        guard let object = value.object else { return wrongKind(legacyApp?.key ?? "details", value, .object) }
        let location = legacyApp?.keyLocation ?? value.location
        checkKeys(object, known: KnownKeys.detail)
        if let variables = object["substitutionVariables"]?.object { compiler.variablesInDetail = variables }
        compiler.beginDetail(of: (object["components"] ?? object["paths"])?.array?.count ?? 0)
        let apps =
            if let legacyApp {
                [compiler.links.addApp(legacyApp.key, at: legacyApp.keyLocation)]
            } else {
                readApps(of: object, location: location)
            }
        let own = readDefaults(of: object)
        readPatterns(of: object, index: index, location: location, defaults: own.merging(defaults) { own, _ in own })
        let rules = compiler.endDetail()
        if let paths = object.member("paths"), object["components"]?.array != nil {
            issues.report(.bothGenerations(lost: lostPath(paths.value, rules)), paths.keyLocation)
        }
        details.append(
            RuleReach.Detail(rules: rules, apps: apps, location: location, obstacle: rules.isEmpty ? issues.last : nil))
    }

    /// Returns the distinct apps of a detail.
    private mutating func readApps(of object: JSONObject, location: SourceLocation) -> [Int] {
        let (one, several) = (object.member("appID"), object["appIDs"])
        if let several, several.array == nil { wrongKind("appIDs", several, .array) }
        let key = several?.array == nil ? "appID" : "appIDs"
        // iOS 12 and earlier use "appID" and "paths".
        let isForBoth = object["paths"] != nil && several?.array?.contains { $0.string == one?.value.string } == true
        if key == "appIDs", let one, !isForBoth { issues.report(.appIDBesideAppIDs, one.keyLocation) }
        var apps: [Int] = []
        var locations: [Int: SourceLocation] = [:]
        for element in several?.array ?? [one?.value].compactMap(\.self) {
            guard let identifier = element.string else {
                wrongKind(key, element, .string)
                continue
            }
            let app = compiler.links.addApp(identifier, at: element.location)
            if let first = locations[app] {
                repeatedApps.append((identifier, first, element.location))
            } else {
                apps.append(app)
                locations[app] = element.location
            }
        }
        if several == nil && one == nil || several?.array?.isEmpty == true {
            reportMissing(.noApps, ["appIDs", "appID"], in: object, KnownKeys.detail, location)
        }
        return apps
    }

    private mutating func readPatterns(
        of object: JSONObject, index: Int, location: SourceLocation, defaults: [String: JSONValue]
    ) {
        let (components, paths) = (object.member("components"), object.member("paths"))
        let isLegacy = components?.value.array == nil
        if isLegacy, let components { wrongKind("components", components.value, .array) }
        guard let member = isLegacy ? paths : components else {
            if components == nil {
                reportMissing(.noPatterns, ["components", "paths"], in: object, KnownKeys.detail, location)
            }
            return
        }
        guard let elements = member.value.array else { return wrongKind(member.key, member.value, .array) }
        if elements.isEmpty { issues.report(.emptyPatterns(key: member.key), member.value.location) }
        for (number, element) in elements.enumerated() {
            let origin = CompiledLinks.Origin(
                index: number, detail: index, location: element.location, isLegacy: isLegacy)
            let values = RuleCompiler.Values(own: isLegacy ? nil : element.object, defaults: defaults)
            if isLegacy, let path = element.string {
                written?.append(.init(path: path, values: values))
                compiler.addPath(path, values, origin)
            } else if let own = values.own {
                checkKeys(own, known: KnownKeys.component)
                written?.append(.init(path: nil, values: values))
                compiler.addComponent(values, origin)
            } else if isLegacy {
                issues.report(.patternNotString(key: "paths", found: element.kind), element.location)
            } else {
                wrongKind("components", element, .object)
            }
        }
    }

    /// The number of paths that are compared with the components.
    private static let comparedPaths = 16

    /// Returns a path that opens the app for a URL that the components of the detail do not open.
    private func lostPath(_ paths: JSONValue, _ components: Range<Int>) -> LinkIssue.LostPath? {
        let texts = (paths.array ?? []).prefix(Self.comparedPaths).compactMap(\.string)
        var legacy = RuleCompiler(SubstitutionVariables(nil), host: nil)
        let origin = CompiledLinks.Origin(index: 0, detail: 0, location: paths.location, isLegacy: true)
        for text in texts { legacy.addPath(text, RuleCompiler.Values(own: nil, defaults: [:]), origin) }
        let (old, new) = (legacy.links, compiler.links)
        for (index, path) in texts.enumerated() where !old.rules[index].excludes {
            // A component may have other wildcards than the path.
            for text in ["", "~", "~~/~"] {
                let sample = path.replacing("*", with: text).replacing("?", with: "~")
                let start = path.hasPrefix("/") ? "" : "/"
                guard let url = try? WebURL("https://example.com\(start)\(sample)") else { continue }
                var before = LinkEvaluation(old, url, workLimit: UniversalLinks.workLimit)
                guard texts.indices.first(where: { before.matches($0) }) == index else { continue }
                var after = LinkEvaluation(new, url, workLimit: UniversalLinks.workLimit)
                let rule = components.first { after.matches($0) }
                guard rule.map({ new.rules[$0].excludes }) ?? true else { continue }
                let isRestricted = old.rules[..<index].contains(where: \.excludes)
                return LinkIssue.LostPath(path: path, isRestricted: isRestricted, isExcluded: rule != nil)
            }
        }
        return nil
    }

    private mutating func readDefaults(of object: JSONObject) -> [String: JSONValue] {
        guard let value = object["defaults"] else { return [:] }
        guard let defaults = value.object else {
            wrongKind("defaults", value, .object)
            return [:]
        }
        checkKeys(defaults, known: KnownKeys.defaults)
        let known = defaults.members.filter { KnownKeys.defaults.contains($0.key) }
        return Dictionary(known.map { ($0.key, $0.value) }) { first, _ in first }
    }

    // MARK: Issues

    /// Reports missing keys, unless a misspelled key or a nested service already explains why they are missing.
    private mutating func reportMissing(
        _ kind: LinkIssue.Kind, _ keys: [String], in object: JSONObject, _ known: [String], _ location: SourceLocation
    ) {
        let isMisspelt = object.members.contains { member in
            guard !known.contains(member.key) else { return false }
            if Service(rawValue: member.key) != nil { return true }
            guard case .misspeltKey(_, let meant) = KnownKeys.issue(on: member.key, known: known) else { return false }
            return keys.contains(meant)
        }
        if !isMisspelt { issues.report(kind, location) }
    }

    private mutating func checkKeys(_ object: JSONObject, known: [String]) {
        for member in object.members where !known.contains(member.key) {
            issues.report(KnownKeys.issue(on: member.key, known: known), member.keyLocation)
        }
    }

    private mutating func wrongKind(_ key: String, _ value: JSONValue, _ expected: JSONValue.Kind) {
        issues.report(.wrongKind(key: key, found: value.kind, expected: expected), value.location)
    }
}

/// The rules that a device uses, as written in the file, for the comparison of two files.
package struct WrittenLinks {
    /// A component, or an element of the legacy `paths`.
    package struct Rule {
        package let path: String?
        let values: RuleCompiler.Values

        package subscript(key: String) -> JSONValue? { values[key] }
        /// Returns whether the value of a key comes from the defaults.
        package func inherits(_ key: String) -> Bool { values.own?[key] == nil }
    }

    package let rules: [Rule]
    /// The distinct apps in file order, with the indices of their rules in evaluation order.
    package let apps: [(identifier: String, rules: [Int])]
    /// The values of the custom substitution variables.
    package let variables: [String: [String]]

    package init(_ applinks: JSONValue) {
        var reader = applinks.object.map { LinkReader($0, location: applinks.location) }
        reader?.written = []
        reader?.read()
        rules = reader?.written ?? []
        let links = reader?.compiler.links ?? CompiledLinks()
        apps = links.apps.map { app in (app.identifier, app.details.flatMap { links.details[$0] }) }
        variables = SubstitutionVariables(applinks.object?["substitutionVariables"]).values
    }
}

/// The known keys of each object in the `applinks` service.
package enum KnownKeys {
    package static let applinks = ["apps", "details", "defaults", "substitutionVariables"]
    package static let detail = ["appIDs", "appID", "components", "paths", "defaults"]
    package static let component = ["/", "?", "#", "exclude", "comment", "caseSensitive", "percentEncoded"]
    package static let defaults = ["/", "?", "#", "exclude", "caseSensitive", "percentEncoded"]

    /// The corrections of common wrong keys.
    private static let words = [
        "path": "/", "paths": "/", "query": "?", "queries": "?", "fragment": "#", "anchor": "#", "not": "exclude",
        "excluded": "exclude", "ignorecase": "caseSensitive",
    ]

    package static func issue(on key: String, known: [String]) -> UniversalLinks.LinkIssue.Kind {
        if known == applinks && detail.contains(key) || known == detail && component.contains(key) && key != "comment" {
            return .misspeltKey(key, meant: key)
        }
        // A misspelled "comment" key is harmless.
        let candidates = known.filter { $0.utf8.count > 1 && $0 != "comment" }
        let lowered = key.lowercased()
        if let word = words[lowered], known.contains(word) { return .misspeltKey(key, meant: word) }
        let trimmed = key.filter { !$0.isWhitespace }
        if known.contains(trimmed) { return .misspeltKey(key, meant: trimmed) }
        return key.nearest(of: candidates, within: 2).map { .misspeltKey(key, meant: $0) } ?? .unknownKey(key)
    }
}
