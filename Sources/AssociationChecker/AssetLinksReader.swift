import AssociatedDomains
import HTTPSClient
import MotivatorPlatform
import SourceJSON

/// A reader that extracts the statements of an assetlinks.json file and collects its issues.
struct AssetLinksReader {
    private(set) var links = AssetLinks()
    /// The issues with the size, the JSON and the statements.
    var issues: [Issue] = []
    /// The issues with statements that grant nothing, keyed by the package name in the statement.
    private(set) var flaws: [String: [Issue]] = [:]
    /// The UTF-8 text that locations refer to.
    private(set) var text: [UInt8] = []
    /// The location of the JSON, if the file contains any.
    private(set) var location: SourceLocation?
    /// Whether the JSON looks like a statement list.
    private(set) var isContent = false
    let subject: String

    init(_ bytes: [UInt8], subject: String) {
        self.subject = subject
        guard bytes.count <= AssetLinks.maximumSize else {
            issues = [Issue(AssetLinksIssue.tooLarge, in: subject)]
            return
        }
        let json = JSONContent(bytes, subject: subject)
        text = json.text
        if let root = json.root {
            (location, isContent) = (root.location, AssetLinks.isContent(root))
            read(root)
        }
        // The locations in a UTF-16 file do not refer to its bytes.
        if text != bytes { for index in issues.indices { issues[index].replacement = nil } }
        // If no statement is usable, the issues explain why the file grants nothing.
        if links.statements.isEmpty, links.includes.isEmpty { issues = issues.map(\.asReason) }
        // Several statements without an array are one mistake.
        let isOneMistake = isContent && !links.isList
        issues = json.issues.filter { !isOneMistake || $0.code != "json-extra-content" } + json.proven(issues)
    }

    private mutating func read(_ root: JSONValue) {
        guard let elements = root.array else {
            if let object = root.object, Service.allCases.contains(where: { object[$0.rawValue] != nil }) {
                return note(.appleFile, root.location)
            }
            return note(.notAnArray(root.kind, isStatement: isContent), root.location)
        }
        links.isList = true
        if elements.isEmpty { note(.empty, root.location) }
        for (index, element) in elements.enumerated() {
            guard let statement = element.object else {
                note(.notAStatement(number: index + 1, element.kind), element.location)
                continue
            }
            let known = issues.count
            guard !read(statement, element.location),
                let package = statement["target"]?.object?["package_name"]?.string
            else { continue }
            let found = issues[known...].map(\.asReason)
            // A request names the app without the prefix of Apple's identifiers.
            for name in Set([package, (try? AppIdentifier(package))?.bundleIdentifier ?? package]) {
                flaws[name, default: []] += found
            }
        }
    }

    private mutating func read(_ statement: JSONObject, _ location: SourceLocation) -> Bool {
        if let include = statement["include"] {
            links.includes.append(include.string ?? "")
            note(.include(include.string?.excerpt ?? include.kind.rawValue), include.location)
            return true
        }
        let relations = relations(of: statement, location)
        guard let target = target(of: statement, location), let relations else { return false }
        links.statements.append(.init(relations: relations, target: target, location: location))
        return true
    }

    // MARK: Relations

    /// Returns the relations that the checker evaluates, or nil if the statement has no well-formed relation.
    private mutating func relations(of statement: JSONObject, _ location: SourceLocation) -> Set<AssetLinks.Relation>? {
        guard let value = value("relation", of: statement, .relationMissing, location) else { return nil }
        guard let elements = value.array else {
            let text = value.string ?? AssetLinks.Relation.links.rawValue
            note(.relationNotAnArray(value.kind, text: text), value.location)
            return nil
        }
        if elements.isEmpty { note(.relationMissing, value.location) }
        var relations: Set<AssetLinks.Relation> = []
        var isUsable = false
        for (index, element) in elements.enumerated() {
            let text = element.string ?? ""
            if let relation = AssetLinks.Relation(rawValue: text) {
                relations.insert(relation)
            } else if let meant = AssetLinks.Relation.nearest(text) {
                note(.relationMisspelt(text, meant: meant), element.location)
                continue
            } else if text.split(separator: "/", omittingEmptySubsequences: false).filter({ $0 != "" }).count != 2 {
                note(.relationMalformed(element.string?.excerpt ?? "Element \(index + 1)"), element.location)
                continue
            } else {
                note(.relationUnknown(text), element.location)
            }
            isUsable = true
        }
        return isUsable ? relations : nil
    }

    // MARK: Targets

    private mutating func target(of statement: JSONObject, _ location: SourceLocation) -> AssetLinks.Target? {
        guard let value = value("target", of: statement, .targetMissing(found: "missing"), location) else { return nil }
        guard let target = value.object else {
            note(.targetMissing(found: "\(value.kind.rawValue), not an object"), value.location)
            return nil
        }
        let meant = target["site"] == nil ? "android_app" : "web"
        let missing = AssetLinksIssue.namespace(found: "missing", meant: meant)
        guard let namespace = self.value("namespace", of: target, missing, value.location) else { return nil }
        switch namespace.string {
        case "android_app": return app(target, value.location)
        case "web": return site(target, value.location)
        case let text:
            let found = text?.excerpt ?? namespace.kind.rawValue
            note(.namespace(found: found, meant: meant), namespace.location)
            return nil
        }
    }

    private mutating func app(_ target: JSONObject, _ location: SourceLocation) -> AssetLinks.Target? {
        let package = package(target, location)
        let fingerprints = fingerprints(target, location)
        guard let package, !fingerprints.isEmpty else { return nil }
        return .app(package: package, fingerprints: fingerprints)
    }

    private mutating func package(_ target: JSONObject, _ location: SourceLocation) -> String? {
        guard let value = value("package_name", of: target, .packageMissing, location) else { return nil }
        let text = value.string ?? ""
        if let apple = try? AppIdentifier(text) {
            note(.packageApple(apple), value.location)
            return nil
        }
        guard AndroidApp.isPackage(text) else {
            note(.packageMalformed(value.string?.excerpt ?? value.kind.rawValue), value.location)
            return nil
        }
        return text
    }

    private mutating func fingerprints(_ target: JSONObject, _ location: SourceLocation) -> [CertificateFingerprint] {
        let key = "sha256_cert_fingerprints"
        guard let value = value(key, of: target, .fingerprintMissing(found: "no \(key)"), location) else { return [] }
        guard let elements = value.array, !elements.isEmpty else {
            let found = value.array == nil ? "\(value.kind.rawValue) as \(key), not an array" : "an empty \(key) array"
            note(.fingerprintMissing(found: found), value.location)
            return []
        }
        return elements.enumerated().compactMap { index, element in
            guard let text = element.string else {
                let reason = ": it is \(element.kind.rawValue)"
                note(.fingerprintMalformed("Element \(index + 1)", reason: reason), element.location)
                return nil
            }
            return fingerprint(text, element.location)
        }
    }

    private mutating func fingerprint(_ text: String, _ location: SourceLocation) -> CertificateFingerprint? {
        guard let fingerprint = CertificateFingerprint(text) else {
            let issue = Self.malformed(fingerprint: text)
            note(issue, location)
            let (start, quote) = (location.offset, UInt8(ascii: "\""))
            if case .fingerprintMalformed(_, _, let list?) = issue, issues.count <= JSONContent.maximumEdits,
                self.text[start] == quote, let end = self.text[(start + 1)...].firstIndex(of: quote)
            {
                issues[issues.count - 1].replacement = .init(TextEdit(start..<end + 1, list), in: self.text)
            }
            return nil
        }
        if text != fingerprint.description {
            let isLowerCase = text.uppercased() == fingerprint.description
            let difference =
                isLowerCase ? "has lower-case letters" : "does not separate the pairs of digits with colons"
            note(.fingerprintForm(text, difference: difference, fingerprint), location)
        }
        return fingerprint
    }

    private static func malformed(fingerprint text: String) -> AssetLinksIssue {
        let parts = text.split { ",;=".contains($0) || $0.isWhitespace }
        let prints = parts.compactMap { CertificateFingerprint(String($0)) }
        if (1...8).contains(prints.count) {
            let found = prints.count == 1 ? "contains other text" : "is \(prints.count) fingerprints in one string"
            let list = prints.map { JSONText.quote($0.description) }.joined(separator: ", ")
            return .fingerprintMalformed(text.excerpt, reason: ": it \(found)", list: list)
        }
        let digits = text.utf8.filter { $0 != UInt8(ascii: ":") }
        guard !digits.isEmpty, digits.allSatisfy(\.isHexadecimalDigit) else {
            return CertificateFingerprint(base64: text).map { .fingerprintBase64(text, $0) }
                ?? .fingerprintMalformed(text.excerpt, reason: "")
        }
        // A SHA-1 fingerprint has 20 bytes.
        guard digits.count != 40 else { return .fingerprintSHA1(text) }
        let reason = ": it is \((digits.count + 1) / 2) bytes long, not \(CertificateFingerprint.byteCount)"
        return .fingerprintMalformed(text.excerpt, reason: reason)
    }

    private mutating func site(_ target: JSONObject, _ location: SourceLocation) -> AssetLinks.Target? {
        let missing = AssetLinksIssue.siteMalformed(found: "missing", correct: "https://example.com")
        guard let value = value("site", of: target, missing, location) else { return nil }
        let text = value.string ?? ""
        let parsed = try? WebURL(text.contains("://") ? text : "https://\(text)")
        let correct = parsed.map { "https://\($0.authority)" } ?? "https://HOST, such as https://example.com"
        guard let url = parsed, text.contains("://"), url.description == "\(url.scheme)://\(url.authority)" else {
            let found = value.string?.excerpt ?? value.kind.rawValue
            note(.siteMalformed(found: found, correct: correct), value.location)
            return nil
        }
        if url.scheme == "http" { note(.siteNotHTTPS(text.excerpt, correct: correct), value.location) }
        return .site(text)
    }

    // MARK: Helpers

    /// Returns the value of a key. If the object lacks the key, reports a similar key or `missing`.
    private mutating func value(
        _ key: String, of object: JSONObject, _ missing: AssetLinksIssue, _ location: SourceLocation
    ) -> JSONValue? {
        if let value = object[key] { return value }
        let distance = key.utf8.count > 6 ? 2 : 1
        if let similar = object.members.first(where: { $0.key.nearest(of: [key], within: distance) != nil }) {
            note(.keyMisspelt(similar.key, meant: key), similar.keyLocation)
        } else {
            note(missing, location)
        }
        return nil
    }

    private mutating func note(_ issue: AssetLinksIssue, _ location: SourceLocation) {
        issues.append(Issue(issue, in: subject, at: location))
    }
}

extension AssetLinks.Relation {
    /// Returns the relation that a misspelled text resembles, with or without `delegate_permission/common.`
    fileprivate static func nearest(_ text: String) -> AssetLinks.Relation? {
        let end = text.split { $0 == "/" || $0 == "." }.last.map(String.init) ?? ""
        guard !text.contains(",") else { return nil }
        return allCases.first { relation in
            text.nearest(of: [relation.rawValue], within: 3) != nil
                || end.nearest(of: [relation.name], within: 2) != nil
        }
    }
}

extension Issue {
    /// The issue with warnings raised to denials, unless the statement remains usable.
    fileprivate var asReason: Issue {
        if case AssetLinksIssue.fingerprintForm? = kind { return self }
        if case AssetLinksIssue.siteNotHTTPS? = kind { return self }
        var reason = self
        for profile in Profile.allCases where effects[profile] == .warning { reason.effects[profile] = .denial }
        return reason
    }
}
