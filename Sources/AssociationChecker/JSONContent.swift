import AssociatedDomains
import MotivatorPlatform
import SourceJSON
import UniversalLinks

struct JSONContent {
    /// The UTF-8 text that locations refer to.
    let text: [UInt8]
    let root: JSONValue?
    let issues: [Issue]
    let json: RecoveringJSONDocument
    /// The maximum number of issues with a change. Each change requires parsing the text again.
    static let maximumEdits = 10
    /// The maximum number of errors in a text with changes. A text with more errors was not written by hand.
    private static let maximumErrors = 100

    init(_ content: [UInt8], subject: String) {
        let json = RecoveringJSONDocument(content)
        self.json = json
        // Locations in a UTF-16 file refer to its text in UTF-8.
        text = json.text
        let leading = content.leadingText
        if leading != nil || content.isPropertyList || content.isYAML {
            let error: JSONError =
                leading != nil ? .html(.start, before: leading) : content.isYAML ? .yaml(.start) : .propertyList(.start)
            (root, issues) = (nil, [Issue(error, in: subject)])
            return
        }
        let isGzip = content.starts(with: [0x1F, 0x8B])
        let isWrong = json.errors.first.map { $0.mayBeBinary && $0.location.offset == 0 } ?? false
        if isGzip || isWrong && content.prefix(512).contains(0) {
            (root, issues) = (nil, [Issue(FileIssue.neither(isGzip: isGzip), in: subject)])
            return
        }
        root = json.root
        let quotes = json.errors.filter(\.isTypographicQuote)
        let errors =
            json.errors.filter { !$0.isTypographicQuote || $0 == quotes.first }
            + json.duplicateKeys.map(JSONError.duplicateKey)
        // The locations in a UTF-16 file do not refer to its bytes.
        let edited = json.text == content && errors.count <= Self.maximumErrors ? Self.maximumEdits : 0
        issues = errors.enumerated().map { index, error in
            var issue = Issue(error, in: subject, at: error.location)
            if error.isTypographicQuote { issue.more = quotes.count - 1 }
            let edit = index < edited ? error.edit(in: content) : nil
            issue.replacement = edit.map { Issue.Replacement($0, in: content) }
            return issue
        }
    }

    /// Returns the issues with the values, except issues with values that the parser guessed or that an error
    /// truncated.
    func proven(_ found: [Issue]) -> [Issue] {
        let guesses = Set(json.errors.filter(\.replacesValue).map(\.location))
        return found.filter { issue in
            guard let location = issue.location else { return true }
            // An issue with a missing key is located at the key of its service, not at the incomplete object.
            if case ServiceIssue.noApps? = issue.kind, !json.incomplete.isEmpty { return false }
            return !guesses.contains(location) && !(issue.isOfMissingContent && json.incomplete.contains(location))
        }
    }
}

extension Issue {
    /// Whether the issue reports missing content that the rest of an incomplete file may contain.
    fileprivate var isOfMissingContent: Bool {
        switch kind {
        case ServiceIssue.noService?, ServiceIssue.appsEmpty?, AssetLinksIssue.empty?,
            AssetLinksIssue.relationMissing?, AssetLinksIssue.targetMissing?, AssetLinksIssue.namespace?,
            AssetLinksIssue.packageMissing?, AssetLinksIssue.fingerprintMissing?,
            UniversalLinks.LinkIssue.Kind.noDetails?, UniversalLinks.LinkIssue.Kind.noApps?,
            UniversalLinks.LinkIssue.Kind.noPatterns?:
            true
        case _: false
        }
    }
}

extension [UInt8] {
    /// The markup or the warning before JSON that begins a line and ends the text; nil if there is none.
    fileprivate var leadingText: String? {
        let isText = ["<", "Warning: ", "Notice: ", "PHP "].contains { drop { $0 <= 0x20 }.starts(with: $0.utf8) }
        let end = isText ? indices.first { $0 > 0 && self[$0 - 1] == .lineFeed && "{[".utf8.contains(self[$0]) } : nil
        guard let end, (try? JSONDocument(Array(self[end...]))) != nil else { return nil }
        return String(decoding: self[..<end], as: UTF8.self).trimming(\.isWhitespace)
    }

    /// Whether the bytes begin like a YAML document: a marker, or a key without quotes and its colon.
    fileprivate var isYAML: Bool {
        let lines = prefix(4_096).split { $0 == .lineFeed || $0 == .carriageReturn }
        guard let first = lines.first(where: { $0.first != UInt8(ascii: "#") }) else { return false }
        let afterName = first.drop { (0x41...0x5A).contains($0 & ~0x20) }
        let isKey = afterName.count < first.count && (afterName + " ".utf8).starts(with: Array(": ".utf8))
        return first.elementsEqual("---".utf8) || isKey && lines.count > 1
    }

    fileprivate var isPropertyList: Bool {
        guard !starts(with: Array("bplist".utf8)) else { return true }
        let start = drop { $0 <= 0x20 }.prefix(512)
        return start.starts(with: Array("<?xml".utf8)) && start.contains(Array("plist".utf8))
    }
}
