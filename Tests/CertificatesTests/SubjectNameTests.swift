import Certificates
import Testing

struct SubjectNameTests {
    @Test(
        "A name is accepted and written in its canonical form",
        arguments: [
            ("a host, folded to lower case (RFC 4343)", "Ultra-Motivator.TEST", "ultra-motivator.test"),
            ("a single label", "localhost", "localhost"),
            ("a wildcard", "*.demo.test", "*.demo.test"),
            ("an IPv4 address", "127.0.0.1", "127.0.0.1"),
            ("an IPv6 address in RFC 5952 form", "0:0::0:1", "::1"),
            (
                "63 characters in a label (RFC 1035 §2.3.4)", String(repeating: "a", count: 63) + ".test",
                String(repeating: "a", count: 63) + ".test"
            ),
            (
                "253 characters", String(repeating: "a.", count: 124) + "atest",
                String(repeating: "a.", count: 124) + "atest"
            ),
        ])
    func taken(rule: String, text: String, written: String) throws {
        #expect(try SubjectName(text).text == written, "\(rule)")
    }

    @Test(
        "A name that could leave the folder or the extension is refused",
        arguments: [
            ("empty", ""), ("a path upwards", "../../etc/passwd"), ("a slash", "a/b.test"), ("a NUL", "a.test\0.pem"),
            ("a comma, which ends a value of x509v3_config(5)", "a.test,DNS:b.test"), ("a section", "@alt"),
            ("an empty label", "a..test"), ("a trailing dot", "a.test."), ("a leading dot", ".test"),
            ("a hyphen first", "-a.test"), ("a hyphen last", "a-.test"), ("a space", "a b.test"),
            ("64 characters in a label", String(repeating: "a", count: 64) + ".test"),
            ("254 characters", String(repeating: "a.", count: 125) + "test"), ("a letter beyond ASCII", "ä.test"),
            ("a sign that folds to k elsewhere", "\u{212A}.test"), ("digits last (RFC 1123 §2.1)", "1.2.3"),
            ("an address with a zone", "fe80::1%eth0"), ("brackets", "[::1]"), ("a star inside", "a.*.test"),
            ("a part of a label as wildcard", "a*.demo.test"), ("a newline", "a.test\n"),
        ])
    func refused(rule: String, text: String) {
        #expect(throws: CertificateError.malformedName(text), "\(rule)") { try SubjectName(text) }
    }

    @Test("A wildcard right below a top-level name is refused", arguments: ["*.localhost", "*.test", "*.com"])
    func wide(text: String) {
        #expect(throws: CertificateError.wildcardTooWide(text)) { try SubjectName(text) }
    }
}
