import AssociatedDomains
public import Platform

extension AssociationRecord {
    /// The record in the shape of `swcutil show`: a line for each field, without a line end at the last.
    public var text: String {
        let fields: [(name: String, value: String)] = [
            ("Service", service.rawValue), ("App ID", "\(app)"), ("App Version", appVersion.shown),
            ("Domain", domain + modes), ("User Approval", userApproval.rawValue),
            ("Site/Fmwk Approval", siteApproval.rawValue), ("Last Checked", moment(lastChecked)),
            ("Next Check", moment(nextCheck)), ("Error", failure?.description ?? ""), ("Retries", "\(retries)"),
        ]
        let width = 22
        return fields.map { field in
            let name = "\(field.name):"
            return field.value.isEmpty
                ? name : name + String(repeating: " ", count: width - name.utf8.count) + field.value
        }.joined(separator: "\n")
    }

    /// The record as JSON.
    public var json: JSONNode {
        .members([
            ("service", .text(service.rawValue)), ("app", .text("\(app)")), ("app_version", .text(appVersion)),
            ("domain", .text(domain)), ("entry", .text("\(entry)")), ("user_approval", .text(userApproval.rawValue)),
            ("site_approval", .text(siteApproval.rawValue)),
            ("last_checked", .optional(lastChecked.map(Timestamp.text))),
            ("next_check", .optional(nextCheck.map(Timestamp.text))),
            (
                "error",
                failure.map { .members([("code", .text($0.code)), ("message", .text($0.message))]) } ?? .null
            ),
            ("retries", .number(retries)),
        ])
    }

    private var modes: String { "\(entry)".split(separator: "?").dropFirst().map { "?\($0)" }.joined() }

    /// As `swcutil` has it: `2026-01-31 09:05:00 +0000`.
    private func moment(_ time: UnixTime?) -> String {
        guard let time else { return "" }
        return Timestamp.text(time).replacing("T", with: " ").replacing("Z", with: " +0000")
    }
}

extension String {
    /// Without what would begin a new line or command a terminal.
    fileprivate var shown: String { String(quoted.dropFirst().dropLast()) }
}
