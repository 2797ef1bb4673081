import MotivatorHTTP
import MotivatorServer

/// The fields of a submitted form (application/x-www-form-urlencoded, WHATWG URL §5).
struct FormContent: Sendable {
    enum Failure: Error, Equatable {
        case tooManyFields
        case brokenEscape
        case notUTF8
        case repeated(String)
    }

    /// The maximum number of fields. The site's forms have at most seven fields.
    private static let maximumFields = 32

    private var values: [String: String] = [:]

    /// Parses content strictly, because a field may be a password.
    init(_ content: [UInt8]) throws(Failure) {
        let separator = UInt8(ascii: "&")
        let pairs = content.split(separator: separator, maxSplits: Self.maximumFields)
            // Ignore the last part if it contains only separators.
            .filter { !$0.allSatisfy { $0 == separator } }
        guard pairs.count <= Self.maximumFields else { throw .tooManyFields }
        for pair in pairs {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let name = try Self.decode(parts[0])
            let value = parts.count > 1 ? try Self.decode(parts[1]) : ""
            guard values.updateValue(value, forKey: name) == nil else { throw .repeated(name) }
        }
    }

    /// The value of a field; empty if the form does not have it.
    subscript(name: FieldName) -> String { values[name.rawValue] ?? "" }

    /// The value of a field that is not in `FieldName`; nil if the form does not have it.
    subscript(name: String) -> String? { values[name] }

    func has(_ name: FieldName) -> Bool { values[name.rawValue] != nil }

    private static func decode(_ bytes: ArraySlice<UInt8>) throws(Failure) -> String {
        let spaced = bytes.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
        guard let decoded = spaced.withFieldBytes({ PercentCoding.decode($0) }) else { throw .brokenEscape }
        guard let text = String(validating: decoded, as: UTF8.self) else { throw .notUTF8 }
        return text
    }
}

/// The names of form fields, JSON members and query parameters, as in the tutorial and on the page `/check`.
enum FieldName: String, Sendable {
    case username, password
    case confirmation = "confirm_password"
    case currentPassword = "current_password"
    case newPassword = "new_password"
    case newConfirmation = "confirm_new_password"
    case formToken = "form_token"
    case id, name
    case suggest
    case example
    case query = "q"
}

extension FormContent.Failure {
    var sentence: String {
        switch self {
        case .tooManyFields: "The form has too many fields."
        case .brokenEscape: "The form's content contains a % without two hexadecimal digits after it."
        case .notUTF8: "The form's content is not UTF-8."
        case .repeated(let name): "The form has the field \(name.debugDescription) twice."
        }
    }
}
