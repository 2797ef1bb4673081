import Testing

@testable import UltraMotivator

@Suite("Content of forms (WHATWG URL §5)") struct FormContentTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let content: String
        let username: String
        let password: String

        init(_ rule: String, _ content: String, _ username: String, _ password: String) {
            testDescription = rule
            self.content = content
            self.username = username
            self.password = password
        }
    }

    static let readable = [
        Case("Two fields", "username=antoine&password=secret", "antoine", "secret"),
        Case("Plus is a space", "username=a+b&password=+c+", "a b", " c "),
        Case("An escaped plus is a plus", "username=a%2Bb&password=%2b", "a+b", "+"),
        Case("Ampersand and equals sign when escaped", "username=%26&password=%3D%3d", "&", "=="),
        Case("A second equals sign belongs to the value", "username=a=b&password==", "a=b", "="),
        Case("UTF-8 of two, three and four bytes", "username=%C3%A9%E2%82%AC&password=%F0%9F%A6%8A", "é€", "🦊"),
        Case("A NUL is a character", "username=a&password=a%00b", "a", "a\0b"),
        Case("Absent is empty", "password=x", "", "x"),
        Case("Without equals sign is empty", "username&password=x", "", "x"),
        Case("Empty pairs are none", "&&username=a&&&password=b&", "a", "b"),
        Case("Other fields are let be", "x=1&username=a&y=2&password=b", "a", "b"),
        Case(
            "32 fields", "username=a&password=b&" + (3...32).map { "f\($0)=1" }.joined(separator: "&"), "a", "b"),
        Case(
            "32 fields, then separators",
            "username=a&password=b&" + (3...32).map { "f\($0)=1" }.joined(separator: "&") + "&&", "a", "b"),
        Case("Escaped names", "%75sername=a&pass%77ord=b", "a", "b"),
    ]

    @Test("Valid form content is parsed", arguments: readable)
    func reads(_ example: Case) throws {
        let form = try FormContent(Array(example.content.utf8))
        #expect(form[.username] == example.username)
        #expect(form[.password] == example.password)
    }

    static let unreadable: [(String, FormContent.Failure)] = [
        ("username=%", .brokenEscape), ("username=%4", .brokenEscape), ("username=%zz", .brokenEscape),
        ("user%name=a", .brokenEscape), ("username=%FF", .notUTF8), ("username=%C3", .notUTF8),
        ("username=%ED%A0%80", .notUTF8), ("username=%C0%80", .notUTF8),
        ("username=a&username=b", .repeated("username")), ("password=a&%70assword=a", .repeated("password")),
        (String(repeating: "a=1&", count: 40), .tooManyFields),
        ((1...33).map { "f\($0)=1" }.joined(separator: "&"), .tooManyFields),
    ]

    @Test("Malformed form content is refused", arguments: unreadable)
    func refuses(_ content: String, _ fault: FormContent.Failure) {
        #expect(throws: fault) { try FormContent(Array(content.utf8)) }
    }
}
