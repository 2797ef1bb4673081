import AssociatedDomains
import AssociationChecker
import HTTPSClient
import MotivatorPlatform
import MotivatorServer

/// The values that a visitor entered in the form at `/check`.
package struct CheckForm: Sendable {
    /// The names of the fields.
    package enum Field: String, Sendable {
        case file, entitlement, app, url, site, tests
    }

    /// The text that the form shows again.
    package private(set) var file = ""
    package private(set) var entitlement = ""
    package private(set) var app = ""
    package private(set) var url = ""
    package private(set) var site = ""
    package private(set) var tests = ""
    package private(set) var errors: [Field: String] = [:]

    /// The maximum size of an entry, an app or a site, in bytes. Valid values have a few hundred bytes.
    private static let maximumLine = 4_096
    /// The maximum size of a URL, and of the URL tests, in bytes. Most browsers and servers support less.
    private static let maximumURL = 16 << 10
    /// The maximum size of the text of a file, in bytes. It fits a file of 131,072 bytes in Base64.
    private static let maximumFile = 192 << 10

    /// The maximum number of lines of URL tests, because each line tries all rules.
    private static let maximumTests = 20

    /// Creates an empty form, or the form of an example.
    package init(file: String = "", entitlement: String = "", app: String = "", url: String = "") {
        (self.file, self.entitlement, self.app, self.url) = (file, entitlement, app, url)
    }

    /// - Parameter value: Returns the submitted value of a field, or an empty string if the form lacks the field.
    package init(_ value: (Field) -> String) {
        // A form sends every line break as CR LF (WHATWG HTML, constructing the entry list). Most files use LF. The
        // extra bytes would count toward the maximum size.
        file = limited(.file, Self.withoutCarriageReturns(value(.file)), to: Self.maximumFile)
        entitlement = limited(.entitlement, value(.entitlement))
        app = limited(.app, value(.app)).withoutBlanks
        url = limited(.url, value(.url), to: Self.maximumURL).withoutBlanks
        site = limited(.site, value(.site)).withoutBlanks
        tests = limited(.tests, Self.withoutCarriageReturns(value(.tests)), to: Self.maximumURL)
    }

    /// Returns whether a text is the name or the URL of a site rather than a file. Signed files in Base64 have no dot.
    package static func isSite(_ text: String) -> Bool {
        let text = text.withoutBlanks.lowercased()
        guard text.utf8.count <= maximumLine, !text.hasPrefix("data:"),
            !text.contains(where: { $0.isWhitespace || "{}\"".contains($0) })
        else { return false }
        // A name without a dot, and an IPv6 address.
        let isLocal = text == "localhost" || ["localhost:", "https://", "[::"].contains(where: text.hasPrefix)
        return isLocal || (text.contains(".") && !text.contains { "[]".contains($0) })
    }

    /// Returns the text. If it exceeds the limit, records the error and returns an empty string.
    private mutating func limited(_ name: Field, _ text: String, to limit: Int = maximumLine) -> String {
        guard text.utf8.count > limit else { return text }
        errors[name] = "The text has \(text.utf8.count) bytes. Enter at most \(limit) bytes."
        return ""
    }

    /// Returns the text with LF instead of each CR LF.
    private static func withoutCarriageReturns(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var kept: [UInt8] = []
        kept.reserveCapacity(bytes.count)
        for (index, byte) in bytes.enumerated() {
            let isBeforeLineFeed = index + 1 < bytes.count && bytes[index + 1] == UInt8(ascii: "\n")
            if byte != UInt8(ascii: "\r") || !isBeforeLineFeed { kept.append(byte) }
        }
        return String(decoding: kept, as: UTF8.self)
    }

    /// Parses the fields and records the error for each invalid field.
    /// - Returns: The input of the check, or nil if a field is invalid or all fields are empty.
    package mutating func input() -> CheckInput? {
        let entry = entitlement.withoutBlanks.isEmpty ? nil : entitlement
        var input = CheckInput(entry: entry)
        let fields = [(Field.site, site), (.entitlement, entry ?? ""), (.app, app), (.url, url)]
        input.query = fields.filter { !$0.1.isEmpty }
            .map { "\($0.0.rawValue)=\(PercentCoding.encode($0.1))" }.joined(separator: "&")
        if file.utf8.contains(where: { $0 > 0x20 }) { input.file = Array(file.utf8) }
        if tests.utf8.contains(where: { $0 > 0x20 }) { input.tests = Array(tests.utf8) }
        if tests.split(separator: "\n").count > Self.maximumTests {
            errors[.tests] = "The text has more than \(Self.maximumTests) lines. Use the command line for more tests."
        }
        let entries = [entry].compactMap { $0.flatMap { try? AssociatedDomain($0) } }
        input.site = read(.site, site) { text throws(ExplainedFailure) in
            try SiteTarget.locate(text, entries: entries)
        }
        // Only the file or the site shows whether the app is for Android.
        if input.isForAndroid, (try? AppIdentifier(app)) == nil {
            input.androidApp = read(.app, app) { text throws(ExplainedFailure) in
                try AndroidApp(text, needsFingerprint: false)
            }
        } else {
            input.app = read(.app, app) { text throws(AppIdentifier.Malformed) in try AppIdentifier(text) }
        }
        input.url = read(.url, url) { text throws(WebURL.Malformed) in try WebURL(text) }
        if input.file != nil, input.site != nil {
            errors[.site] = "Paste a file or enter a site, not both. Clear one of the two fields."
        }
        return errors.isEmpty && !input.isEmpty ? input : nil
    }

    private mutating func read<Value, Failure: ExplainedError>(
        _ name: Field, _ text: String, _ make: (String) throws(Failure) -> Value
    ) -> Value? {
        guard !text.isEmpty else { return nil }
        do throws(Failure) { return try make(text) } catch {
            errors[name] = "\(error.problem.sentence.visible) \(error.fix.visible)."
            return nil
        }
    }
}

/// The input of a check at `/check`.
package struct CheckInput: Sendable {
    var file: [UInt8]?
    var site: SiteTarget?
    var tests: [UInt8]?
    /// The entry of an entitlement, as typed. The check reports a malformed entry as an issue.
    var entry: String?
    var app: AppIdentifier?
    var androidApp: AndroidApp?
    var url: WebURL?
    /// The fields except the file, as the query of a permalink.
    var query = ""

    init(entry: String? = nil) { self.entry = entry }

    package var isFetch: Bool { site != nil }

    /// Whether the file or the site is probably for Android.
    var isForAndroid: Bool { site?.isAssetLinks ?? file?.mayBeAssetLinks ?? false }

    var isEmpty: Bool { file == nil && site == nil && entry == nil && app == nil && androidApp == nil && url == nil }
}

extension String {
    /// The text without leading and trailing white space, which copying often adds.
    var withoutBlanks: String {
        let isBlank = { (scalar: Unicode.Scalar) in scalar.properties.isWhitespace }
        guard let first = unicodeScalars.firstIndex(where: { !isBlank($0) }),
            let last = unicodeScalars.lastIndex(where: { !isBlank($0) })
        else { return "" }
        return String(unicodeScalars[first...last])
    }

    /// The text with invisible characters and direction controls replaced by visible characters.
    var visible: String {
        var shown = String.UnicodeScalarView()
        for scalar in unicodeScalars { shown.append(scalar.visible) }
        return String(shown)
    }
}

extension Unicode.Scalar {
    /// The character, or a visible replacement.
    var visible: Unicode.Scalar {
        switch properties.generalCategory {
        case .spaceSeparator: " "
        case .control where self == "\n" || self == "\t" || self == "\r": " "
        // A zero-width joiner combines emoji and is harmless.
        case .format where value == 0x200D: self
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse: "\u{FFFD}"
        case _: self
        }
    }
}
