import AssociatedDomains
import AssociationChecker
import HTTPSClient
import MotivatorPlatform
import MotivatorServer

/// The values that a visitor entered in the form at `/check`.
package struct CheckForm: Sendable {
    package enum Field: String, CaseIterable, Sendable {
        case file, entitlement, app, url, site, tests

        /// The maximum size in bytes.
        fileprivate var limit: Int {
            switch self {
            // A file of 131,072 bytes in Base64 fits.
            case .file: 192 << 10
            // Most browsers and servers support only shorter URLs.
            case .url, .tests: 16 << 10
            // Valid values have a few hundred bytes.
            case .entitlement, .app, .site: 4_096
            }
        }
    }

    /// The text that the form shows again.
    private var texts: [Field: String]
    package private(set) var errors: [Field: String] = [:]

    /// The maximum number of lines of URL tests, because each line tries all rules.
    private static let maximumTests = 20

    package init(file: String = "", entitlement: String = "", app: String = "", url: String = "") {
        texts = [.file: file, .entitlement: entitlement, .app: app, .url: url]
    }

    /// - Parameter value: Returns the submitted value of a field, or an empty string if the form lacks the field.
    package init(_ value: (Field) -> String) {
        texts = [:]
        for field in Field.allCases {
            // A form sends every line break as CR LF (WHATWG HTML, constructing the entry list). Most files use LF. The
            // extra bytes would count toward the maximum size.
            let text = value(field).split(separator: "\r\n", omittingEmptySubsequences: false).joined(separator: "\n")
            if text.utf8.count > field.limit {
                errors[field] = "The text has \(text.utf8.count) bytes. Enter at most \(field.limit) bytes."
            } else {
                texts[field] = [.app, .url, .site].contains(field) ? text.withoutBlanks : text
            }
        }
    }

    /// Returns the start of a value, or the size of a text.
    package func summary(_ field: Field) -> String {
        [.file, .tests].contains(field) ? self[field].utf8.count.byteCount : self[field].shortened
    }

    /// Returns the fields with a value, as a query.
    package func query(_ fields: [Field] = Field.allCases) -> String {
        fields.filter { !self[$0].withoutBlanks.isEmpty }.map { "\($0.rawValue)=\(PercentCoding.encode(self[$0]))" }
            .joined(separator: "&")
    }

    package subscript(field: Field) -> String { texts[field] ?? "" }

    /// Returns whether a text is the name or the URL of a site rather than a file. Signed files in Base64 have no dot.
    package static func isSite(_ text: String) -> Bool {
        let text = text.withoutBlanks.lowercased()
        guard text.utf8.count <= Field.site.limit, !text.hasPrefix("data:"),
            !text.contains(where: { $0.isWhitespace || "{}\"".contains($0) })
        else { return false }
        // A name without a dot, and an IPv6 address.
        let isLocal = text == "localhost" || ["localhost:", "https://", "[::"].contains(where: text.hasPrefix)
        return isLocal || (text.contains(".") && !text.contains { "[]".contains($0) })
    }

    /// Parses the fields and records the error for each invalid field.
    /// - Returns: The input of the check, or nil if a field is invalid or all fields are empty.
    package mutating func input() -> CheckInput? {
        let entry = self[.entitlement].withoutBlanks.isEmpty ? nil : self[.entitlement]
        var input = CheckInput(entry: entry)
        input.query = query([.site, .entitlement, .app, .url])
        if self[.file].utf8.contains(where: { $0 > 0x20 }) { input.file = Array(self[.file].utf8) }
        if self[.tests].utf8.contains(where: { $0 > 0x20 }) { input.tests = Array(self[.tests].utf8) }
        if self[.tests].split(separator: "\n").count > Self.maximumTests {
            errors[.tests] = "The text has more than \(Self.maximumTests) lines. Use the command line for more tests."
        }
        let entries = [entry].compactMap { $0.flatMap { try? AssociatedDomain($0) } }
        input.site = read(.site) { text throws(ExplainedFailure) in try SiteTarget.locate(text, entries: entries) }
        // Only the file or the site shows whether the app is for Android.
        if input.isForAndroid, (try? AppIdentifier(self[.app])) == nil {
            input.androidApp = read(.app) { text throws(ExplainedFailure) in
                try AndroidApp(text, needsFingerprint: false)
            }
        } else {
            input.app = read(.app) { text throws(AppIdentifier.Malformed) in try AppIdentifier(text) }
        }
        input.url = read(.url) { text throws(WebURL.Malformed) in try WebURL.entered(text) }
        if input.file != nil, input.site != nil {
            errors[.site] = "Paste a file or enter a site, not both. Clear one of the two fields."
        }
        return errors.isEmpty && !input.isEmpty ? input : nil
    }

    private mutating func read<Value, Failure: ExplainedError>(
        _ field: Field, _ make: (String) throws(Failure) -> Value
    ) -> Value? {
        guard !self[field].isEmpty else { return nil }
        do throws(Failure) { return try make(self[field]) } catch {
            errors[field] = "\(error.problem.sentence.printable) \(error.fix.printable)."
            return nil
        }
    }
}

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
    var withoutBlanks: String { trimming(\.isWhitespace) }
}
