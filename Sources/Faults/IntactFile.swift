import AssociatedDomains
import AssociationChecker
import AssociationDiagnostics
import MotivatorPlatform
import SourceJSON

/// The association file without a fault: the demo's file, or a file of the user.
struct IntactFile: Sendable {
    /// The maximum size in bytes. Some hosts write the signed file and its head at once, at most 64 kB.
    static let maximumSize = 48 << 10
    static let demoApp = "D3KQX62K1A.com.example.DemoApp"
    private static let otherApps = ["D3KQX62K1A.com.example.DemoAdminApp", demoApp]

    let text: String
    /// The app to which the verdicts apply: the first app of `webcredentials`.
    let app: AppIdentifier
    let other: String
    /// The array of apps in `webcredentials`, and the object of `applinks`, as bytes of the text.
    private let apps: Range<Int>
    private let links: Range<Int>?

    var bundle: String { app.bundleIdentifier }

    static func demo(at now: UnixTime) throws -> IntactFile {
        let list = otherApps.reversed().map { "\"\($0)\"" }.joined(separator: ", ")
        let text = "{\n  \"webcredentials\": {\n    \"apps\": [\(list)]\n  }\n}\n"
        return try IntactFile(Array(text.utf8), name: "the demo's file", at: now)
    }

    init(path: String, at now: UnixTime) throws {
        self = try IntactFile(File.read(path, limit: Self.maximumSize), name: path, at: now)
    }

    /// - Throws: `ExplainedFailure` if a fault would not be the only issue of a host.
    init(_ bytes: [UInt8], name: String, at now: UnixTime) throws(ExplainedFailure) {
        let file = AssociationFile(bytes, name: name, at: now)
        let issue = file.report.issues.first { issue in
            [Profile.device, .documented].contains { ![nil, .note].contains(issue.severity(in: $0)) }
        }
        if let issue { throw ExplainedFailure("--faults-association: \(issue.line)", fix: issue.fix.clause) }
        // The lowercase prefix of an app is a fault only if the prefix has a letter.
        let app = file.apps[.webcredentials]?.lazy.compactMap { try? AppIdentifier($0.text) }
            .first { $0.prefix.contains(where: \.isLetter) }
        guard !file.claimsSignature, let root = file.root?.object, let app,
            let list = root["webcredentials"]?.object?["apps"], file.text.contains(Array("\"webcredentials\"".utf8))
        else {
            throw ExplainedFailure(
                "--faults-association: \(name.quoted) is not a plain file that lists an app for webcredentials",
                fix: #"Pass a file such as {"webcredentials":{"apps":["\#(Self.demoApp)"]}}"#)
        }
        (self.app, text) = (app, String(decoding: bytes, as: UTF8.self))
        other = Self.otherApps.first { $0 != app.description } ?? ""
        apps = Self.range(of: list, in: bytes)
        links = root["applinks"].map { Self.range(of: $0, in: bytes) }
    }

    private static func range(of value: JSONValue, in bytes: [UInt8]) -> Range<Int> {
        var (index, depth, isInString) = (value.location.offset, 0, false)
        repeat {
            switch bytes[index] {
            case UInt8(ascii: "\\") where isInString: index += 1
            case UInt8(ascii: "\""): isInString.toggle()
            case UInt8(ascii: "["), UInt8(ascii: "{"): depth += isInString ? 0 : 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= isInString ? 0 : 1
            case _: break
            }
            index += 1
        } while depth > 0 && index < bytes.count
        return value.location.offset..<index
    }

    /// Returns the text with other apps in `webcredentials`, and with other rules.
    func listing(_ list: [String], applinks: String? = nil) -> String {
        replacing(apps: "[\(list.map { "\"\($0)\"" }.joined(separator: ", "))]", applinks: applinks)
    }

    func replacing(apps list: String? = nil, applinks: String? = nil) -> String {
        var bytes = Array(text.utf8)
        var edits = [(apps, list)]
        if let links { edits.append((links, applinks)) }
        for (range, new) in edits.sorted(by: { $0.0.lowerBound > $1.0.lowerBound }) {
            if let new { bytes.replaceSubrange(range, with: Array(new.utf8)) }
        }
        if links == nil, let applinks, let start = bytes.firstIndex(of: UInt8(ascii: "{")) {
            bytes.insert(contentsOf: Array("\n  \"applinks\": \(applinks),".utf8), at: start + 1)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The text with a comma after the last app.
    var withTrailingComma: String {
        replacing(apps: String(decoding: Array(text.utf8)[apps].dropLast(), as: UTF8.self) + ",]")
    }

    /// Returns the text with another member at its end.
    func adding(_ member: String) -> String {
        let end = text.lastIndex(of: "}") ?? text.endIndex
        let start = text[..<end].lastIndex { !$0.isWhitespace } ?? text.startIndex
        return text[...start] + ",\n  \(member)\n}\n"
    }
}
