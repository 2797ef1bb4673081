import AssociatedDomains
import AssociationChecker
import HTTPSClient
import Platform

/// What a visitor filled into the form of `/check`.
struct CheckForm: Sendable {
    /// The texts as they are shown again.
    var file = ""
    var entitlement = ""
    var app = ""
    var url = ""
    var site = ""
    /// What is wrong with a field, by its name.
    private(set) var errors: [FieldName: String] = [:]

    /// An empty form.
    init() {}

    /// - Parameter content: what was sent.
    init(_ content: FormContent) {
        // A form ends each line with CR LF, whatever the file does (WHATWG HTML, constructing the entry list): with LF the
        // file has as many bytes as most files, and is not taken for larger than it is.
        file = content[.file].replacing("\r\n", with: "\n")
        entitlement = content[.entitlement]
        app = content[.app].withoutBlanks
        url = content[.url].withoutBlanks
        site = content[.site].withoutBlanks
    }

    /// Reads the fields; what is wrong with one is noted beside it.
    ///
    /// - Returns: what is asked, or nil when a field cannot be read or nothing is filled in.
    mutating func question() -> CheckQuestion? {
        let entry = entitlement.withoutBlanks.isEmpty ? nil : entitlement
        var question = CheckQuestion(entry: entry)
        if !file.withoutBlanks.isEmpty { question.file = Array(file.utf8) }
        question.app = read(.app, app) { text throws(AppIdentifier.Malformed) in try AppIdentifier(text) }
        question.url = read(.url, url) { text throws(WebURL.Malformed) in try WebURL(text) }
        let entries = [entry].compactMap { $0.flatMap { try? AssociatedDomain($0) } }
        question.site = read(.site, site) { text throws(SiteTarget.Malformed) in
            try SiteTarget.locate(text, entries: entries)
        }
        if question.file != nil, question.site != nil {
            errors[.site] = "Paste a file or name a site, not both: empty one of the two fields."
        }
        return errors.isEmpty && !question.isEmpty ? question : nil
    }

    private mutating func read<Value, Fault: ExplainedError>(
        _ name: FieldName, _ text: String, _ make: (String) throws(Fault) -> Value
    ) -> Value? {
        guard !text.isEmpty else { return nil }
        do throws(Fault) { return try make(text) } catch {
            errors[name] = "\(error.problem.sentence.visible) \(error.fix.visible)."
            return nil
        }
    }
}

/// What is asked at `/check`.
struct CheckQuestion: Sendable {
    var file: [UInt8]?
    var site: SiteTarget?
    /// An entry of an entitlement, as it was typed: what is wrong with it is a issue.
    var entry: String?
    var app: AppIdentifier?
    var url: WebURL?

    init(entry: String? = nil) { self.entry = entry }

    var isEmpty: Bool { file == nil && site == nil && entry == nil && app == nil && url == nil }
}

extension String {
    /// Without white space at both ends, as it comes with what is copied.
    var withoutBlanks: String {
        let isBlank = { (scalar: Unicode.Scalar) in scalar.properties.isWhitespace }
        guard let first = unicodeScalars.firstIndex(where: { !isBlank($0) }),
            let last = unicodeScalars.lastIndex(where: { !isBlank($0) })
        else { return "" }
        return String(unicodeScalars[first...last])
    }

    /// The text with each character that is not seen, or that turns the others around, replaced by one that is seen.
    var visible: String {
        var shown = String.UnicodeScalarView()
        for scalar in unicodeScalars { shown.append(scalar.visible) }
        return String(shown)
    }
}

extension Unicode.Scalar {
    /// The character, or one in its place that can be seen.
    var visible: Unicode.Scalar {
        switch properties.generalCategory {
        case .spaceSeparator: " "
        case .control where self == "\n" || self == "\t" || self == "\r": " "
        // A joiner makes one emoji of several, and is no danger.
        case .format where value == 0x200D: self
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse: "\u{FFFD}"
        case _: self
        }
    }
}
