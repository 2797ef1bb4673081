import AssociatedDomains
import MotivatorPlatform

/// A record of `swcutil show`, as in the file `swcutil_show.txt` of a sysdiagnose: the state of one entry on a device.
struct SystemRecord {
    /// Above this number, the report has only one line for each approved entry.
    private static let detailLimit = 10

    private static let fields: Set = [
        "Service", "App ID", "Domain", "User Approval", "Site/Fmwk Approval", "Flags", "Last Checked", "Next Check",
        "Error", "Retries",
    ]

    private var values: [String: String] = [:]

    private subscript(_ field: String) -> String { values[field] ?? "" }

    /// Returns the records in a text. Ignores other lines.
    static func found(in text: String) -> [SystemRecord] {
        var records: [SystemRecord] = []
        for line in text.split(whereSeparator: \.isNewline) {
            let parts = line.split(separator: ":", maxSplits: 1).map { part in
                String(part).trimming { $0.isWhitespace || "\",".contains($0) }
            }
            guard parts.count == 2, fields.contains(parts[0]) else { continue }
            if parts[0] == "Service" || records.isEmpty { records.append(SystemRecord()) }
            records[records.count - 1].values[parts[0]] = parts[1].printable
        }
        return records.filter { !$0["Site/Fmwk Approval"].isEmpty }
    }

    /// The error on one line, with the names of the entry.
    var error: String { self["Error"].isEmpty ? "" : "\(title): \(self["Error"])" }

    private var host: String { String(self["Domain"].prefix { $0 != "?" }) }
    private var isApproved: Bool { self["Site/Fmwk Approval"] == "approved" }
    private var isDeclined: Bool { self["User Approval"] == "denied" }
    private var entry: String { "\(self["Service"]):\(self["Domain"])" }
    private var title: String { "\(entry) for \(self["App ID"])" }

    /// What the state means, and what to check next.
    private var sentences: [String] {
        var lines: [String] = []
        switch self["Site/Fmwk Approval"] {
        case "approved": lines.append("The site approves the app.")
        case "denied":
            lines.append("The site does not approve the app: its file, or the copy on Apple's CDN, does not list it.")
        case _:
            lines.append(
                self["Last Checked"].isEmpty
                    ? "The device has not checked the site yet."
                    : "The device has no result yet: its last check failed, or it checks again.")
        }
        if isDeclined, self["Service"] == "applinks" {
            lines.append("The user chose the browser. Touch and hold a link, and choose the app.")
        } else if isDeclined {
            lines.append("The user declined to save a password. This does not affect the association.")
        }
        if self["Domain"].contains("mode=developer") {
            lines.append(
                "The entry counts only if Associated Domains Development is on (Settings, Developer), or for an app "
                    + "with a development profile on a Mac.")
        }
        if !isApproved, !self["Next Check"].isEmpty {
            lines.append("The next check is at \(self["Next Check"]). To check now, install the app again.")
        }
        return lines
    }

    private var command: String {
        let (app, isWildcard) = (self["App ID"].shellQuoted, host.hasPrefix("*."))
        let site = (isWildcard ? String(host.dropFirst(2)) : host).shellQuoted
        // With a mode, the device does not use the CDN.
        return isApproved && self["Service"] == "applinks"
            ? "motivator association match \(site) \(isWildcard ? "--domain SUBDOMAIN " : "")--app \(app) --url URL"
            : "motivator association check \(site) --entitlement \(entry.shellQuoted) --app \(app)"
                + (entry.contains("?") ? "" : " --cdn")
    }

    static func text(_ records: [SystemRecord]) -> String {
        records.map { record in
            guard records.count <= detailLimit || !record.isApproved || record.isDeclined else {
                return "\(record.title): approved\n"
            }
            return """
                \(record.title)
                  State     \(record.sentences.joined(separator: "\n            "))
                  Command   \(record.command)

                """
        }.joined()
    }

    var json: JSONNode {
        [
            "service": .text(self["Service"]), "domain": .text(self["Domain"]), "app": .text(self["App ID"]),
            "site_approval": .text(self["Site/Fmwk Approval"]), "user_approval": .text(self["User Approval"]),
            "error": .text(self["Error"]), "meaning": .list(sentences.map { .text($0) }), "command": .text(command),
        ]
    }
}
