import TestSupport
import Testing

@testable import SharedWebCredentials

@Suite("Forms of HTML pages")
struct PageFormTests {
    struct Case: Sendable, CustomStringConvertible {
        let name: String
        let html: String
        /// The forms: the kind, and the name and token of each field.
        let forms: [String]

        var description: String { name }
    }

    static let cases: [Case] = [
        .init(
            name: "a form to sign in",
            html: """
                <form><input name="user" autocomplete="username"><input type=password name=pw \
                autocomplete='current-password'></form>
                """, forms: ["signin user=username pw=current-password"]),
        .init(
            name: "a form to sign up",
            html: "<form><input name=u autocomplete=username><input name=p autocomplete=new-password></form>",
            forms: ["signup u=username p=new-password"]),
        .init(
            name: "a form to change the password",
            html: "<form><input name=o autocomplete=current-password><input name=n autocomplete=new-password></form>",
            forms: ["update o=current-password n=new-password"]),
        .init(
            name: "only a user name", html: "<form><input name=u autocomplete=username></form>",
            forms: ["signin u=username"]),
        .init(name: "no token", html: "<form><input name=q type=search></form>", forms: ["none q=none"]),
        .init(
            name: "capital letters, a section and webauthn",
            html: "<FORM><INPUT NAME=u AUTOCOMPLETE='section-a Username webauthn'></FORM>",
            forms: ["signin u=username"]),
        .init(
            name: "another token at the end", html: "<form><input name=u autocomplete='username email'></form>",
            forms: ["none u=none"]),
        .init(
            name: "words that may not accompany a token (HTML standard, autofill processing model)",
            html: """
                <form><input name=a autocomplete='email username'><input name=b autocomplete='webauthn username'>\
                <input name=c autocomplete='shipping section-a username'><input name=d autocomplete='home username'>\
                <input name=e autocomplete='section-a section-b username'></form>
                """, forms: ["none a=none b=none c=none d=none e=none"]),
        .init(
            name: "words that may",
            html: """
                <form><input name=a autocomplete='section-a billing username webauthn'>\
                <input name=b autocomplete=' shipping  current-password '><input name=c autocomplete=webauthn></form>
                """, forms: ["signin a=username b=current-password c=none"]),
        .init(
            name: "several forms, and an input outside of them",
            html: """
                <input name=a autocomplete=username><form id=x><input name=b autocomplete=username></form>\
                <form><input name=c></form><input name=d form=x>
                """, forms: ["signin a=username", "signin b=username d=none", "none c=none"]),
        .init(
            name: "an input whose form does not exist",
            html: "<form id=x><input name=a><input name=b form=y><input name=c form></form>",
            forms: ["none b=none c=none", "none a=none"]),
        .init(
            name: "a form inside of a form",
            html: "<form><input name=a><form><input name=b></form><input name=c>",
            forms: ["none c=none", "none a=none b=none"]),
        .init(
            name: "inputs without typing",
            html: """
                <form><input type=hidden name=a autocomplete=username><input type=CHECKBOX name=b>\
                <input readonly name=c autocomplete=username><input name=d disabled><input name=e type=unknown></form>
                """, forms: ["none e=none"]),
        .init(
            name: "comments and text are not tags",
            html: """
                <!-- <input name=a> --><!--><input name=b><script>"<input name=c>"</script><style><input name=d></style>\
                <title><input name=e></title><textarea><input name=f></textarea ><p title="<input name=g>">\
                <script>x</scripts><input name=h></SCRIPT/>< input name=i></ input><input name=j>
                """, forms: ["none b=none j=none"]),
        .init(
            name: "comments that end with a bang, and comments that do not",
            html:
                "<!-- a --!><input name=b><!--!><input name=c>--><!--- d ---><input name=e><!-- f -- > -!><input name=g>",
            forms: ["none b=none e=none"]),
        .init(
            name: "attributes in every form",
            html: """
                <input name = "a>b" x =y/><input/name='c"d'/><input =name=e><input name=f name=g><input name>\
                <input name=&quot;&#x41;&#66;&amp;lt;&unknown;&#xD800;&>
                """,
            forms: ["none a>b=none c\"d=none =none f=none =none \"AB&lt;&unknown;&#xD800;&=none"]),
        .init(name: "a page that ends in a tag", html: "<input name=a><input name=b", forms: ["none a=none"]),
        .init(name: "a page that ends in quotes", html: "<input name=a><input name='b>", forms: ["none a=none"]),
        .init(name: "a page that ends in a comment", html: "<input name=a><!-- <input>", forms: ["none a=none"]),
        .init(
            name: "a page that ends in a script", html: "<input name=a><script><input name=b>", forms: ["none a=none"]),
        .init(name: "nothing", html: "", forms: []), .init(name: "one character", html: "<", forms: []),
        .init(name: "an open end tag", html: "</", forms: []), .init(name: "a lone bang", html: "<!", forms: []),
    ]

    @Test("Fields and their tokens are found as a browser finds them (HTML standard §13.2.5)", arguments: cases)
    func forms(_ test: Case) {
        let forms = PageForm.all(in: Array(test.html.utf8)).map { form in
            let fields = form.fields.map { "\($0.name)=\($0.token?.rawValue ?? "none")" }
            return ([form.kind?.rawValue ?? "none"] + fields).joined(separator: " ")
        }
        #expect(forms == test.forms)
    }

    @Test("Password rules are read with their references")
    func rules() {
        let html = "<input autocomplete=new-password passwordrules=\"minlength: 8; required: [&quot;&amp;]\">"
        #expect(
            PageForm.all(in: Array(html.utf8)).first?.fields.first?.passwordRules == "minlength: 8; required: [\"&]")
    }

    /// The scanner never backtracks, so the tags of a prefix are the first tags of the page.
    private func checkPrefixes(_ page: [UInt8], _ counts: some Sequence<Int>, _ source: String) {
        let names: Set = ["form", "input", "a"]
        let tags = HTMLScanner.tags(in: page, named: names)
        #expect(tags.allSatisfy { names.contains($0.name) }, "\(source)")
        for count in counts {
            let found = HTMLScanner.tags(in: Array(page.prefix(count)), named: names)
            #expect(tags.starts(with: found), "\(source), the first \(count) bytes")
        }
        // Only a complete tag is found, so every further byte is part of no tag or of a later one.
        #expect(HTMLScanner.tags(in: page + Array("<a".utf8), named: names) == tags, "\(source)")
    }

    @Test("The tags of every prefix of a page are the first tags of the page")
    func prefixes() {
        let page = Array(Self.cases.map(\.html).joined().utf8)
        checkPrefixes(page, 0...page.count, "the cases")
    }

    @Test("The tags of every prefix of a random page are its first tags", arguments: [UInt64](1...5))
    func randomPages(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let pieces = [
            "<", ">", "/", "!", "-", "=", "\"", "'", "&", " ", "a", "<form ", "<input ", "<script>", "</script>",
            "<!--",
            "-->", "name=", "type=hidden", "\u{0}", "é",
        ].map { Array($0.utf8) }
        for number in 0..<100 {
            let page = (0..<40).flatMap { _ in pieces.randomElement(using: &generator) ?? [] }
            checkPrefixes(page, stride(from: 0, through: page.count, by: 7), "seed \(seed), page \(number)")
        }
    }

    @Test(
        "A large page that repeats one piece has at most the maximum number of inputs",
        arguments: [
            "<", "<!--", "<script>", "<a b='", "<input name=a ", "<form>", "<input>", "</script", "<input form=x>",
        ])
    func large(_ piece: String) {
        let page = Array(String(repeating: piece, count: 300_000 / piece.utf8.count).utf8)
        let inputs = PageForm.all(in: page).reduce(0) { $0 + $1.fields.count }
        let complete = ["<input>", "<input form=x>"].contains(piece)
        #expect(complete ? inputs == PageForm.maximumInputs : inputs == 0)
    }

    @Test("A value of 4,096 bytes is read, and a longer one is ignored", arguments: [4_096, 4_097])
    func longValue(_ count: Int) {
        let long = String(repeating: "x", count: count)
        let fields = PageForm.all(in: Array("<input name=\(long) id=a>".utf8)).first?.fields
        #expect(fields?.map(\.name) == [count == 4_096 ? long : ""] && fields?.map(\.id) == ["a"])
    }

    @Test("Of repeated attributes, the first one counts")
    func repeatedAttributes() {
        let html = "<form id=f id=g><input name=a name=b autocomplete=username autocomplete=new-password></form>"
        let forms = PageForm.all(in: Array(html.utf8))
        #expect(forms.map(\.id) == ["f"] && forms.first?.fields.map(\.name) == ["a"])
        #expect(forms.first?.fields.first?.token == .username)
    }
}
