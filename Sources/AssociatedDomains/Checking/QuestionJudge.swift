/// Answers a question from what a file says.
struct QuestionJudge {
    let outline: AssociationOutline
    let subject: String
    /// The services that are asked for; empty for any.
    let services: [Service]
    let apps: [AppIdentifier]

    var findings: [Finding] {
        var findings: [Finding] = []
        for service in services where outline.apps[service] == nil { findings.append(missing(service)) }
        let asked = services.filter { outline.apps[$0] != nil }
        if apps.isEmpty {
            let candidates = (services.isEmpty ? outline.services : asked).flatMap { outline.apps[$0] ?? [] }
            // Where a service is missing, that is said, and not once more that it names nobody.
            if (services.isEmpty ? !outline.apps.isEmpty : !asked.isEmpty), !candidates.contains(where: \.canExist) {
                findings.append(noApp(asked.isEmpty ? outline.services : asked))
            }
        }
        for app in apps {
            for service in asked {
                let listed = outline.apps[service] ?? []
                if !listed.contains(where: { app.isNamed(by: $0.text) }) {
                    findings.append(notListed(app, service, among: listed))
                }
            }
        }
        return findings
    }

    private func missing(_ service: Service) -> Finding {
        let present = outline.services.map(\.rawValue).joined(separator: ", ")
        return Finding(
            ServiceRule.missing,
            "the file does not have the service \(service.rawValue)" + (present.isEmpty ? "" : ", only \(present)"),
            remedy: elsewhere(service), in: subject, at: outline.root.place)
    }

    /// The apps that are named for another service are most likely those that are meant.
    private func elsewhere(_ service: Service) -> String {
        let app = apps.first?.description ?? "PREFIX.BUNDLE-ID"
        return service == .applinks
            ? "Add \"applinks\":{\"details\":[{\"appIDs\":[\"\(app)\"],\"components\":[{\"/\":\"*\"}]}]}"
            : "Add \"\(service.rawValue)\":{\"apps\":[\"\(app)\"]}"
    }

    private func noApp(_ services: [Service]) -> Finding {
        Finding(
            AppRule.noApp, "no app that can exist is named for \(services.map(\.rawValue).joined(separator: ", "))",
            remedy: "Name an app as PREFIX.BUNDLE-ID, such as D3KQX62K1A.com.example.DemoApp", in: subject,
            at: outline.root.place)
    }

    private func notListed(_ app: AppIdentifier, _ service: Service, among listed: [AssociationOutline.App]) -> Finding
    {
        let bundle = app.bundleIdentifier
        if let other = listed.first(where: { $0.bundle == bundle }) {
            return Finding(
                AppRule.otherPrefix, "\(service.rawValue) names \(other.text.excerpt), the app is \(app)",
                remedy: "Write the App ID prefix of the app: \(app)", in: subject, at: other.place)
        }
        if let other = listed.first(where: { $0.bundle?.lowercased() == bundle.lowercased() }) {
            return Finding(
                AppRule.otherCase, "\(service.rawValue) names \(other.text.excerpt), the app is \(app)",
                remedy: "Write the bundle identifier as the app does: \(app)", in: subject, at: other.place)
        }
        for present in outline.services where present != service {
            if let other = outline.apps[present]?.first(where: { app.isNamed(by: $0.text) }) {
                return Finding(
                    AppRule.listedElsewhere, "\(app) is named for \(present.rawValue), not for \(service.rawValue)",
                    remedy: "Name it for \(service.rawValue) too: \(elsewhere(service).dropFirst(4))", in: subject,
                    at: other.place)
            }
        }
        let others = listed.prefix(3).map(\.text.excerpt).joined(separator: ", ")
        return Finding(
            AppRule.notListed,
            "\(service.rawValue) does not name \(app)"
                + (others.isEmpty ? "" : ", only \(others)\(listed.count > 3 ? " and others" : "")"),
            remedy: "Add \"\(app)\" to the apps of \(service.rawValue)", in: subject, at: outline.root.place)
    }
}

extension AssociationOutline.App {
    /// Whether some app could have this identifier: devices compare the prefix in upper case.
    fileprivate var canExist: Bool {
        (try? AppIdentifier(text.uppercased(prefix: AppIdentifier.prefixLength))) != nil
    }

    /// What stands behind the first dot.
    fileprivate var bundle: String? {
        text.utf8.firstIndex(of: UInt8(ascii: ".")).map { String(text[text.utf8.index(after: $0)...]) }
    }
}

extension String {
    fileprivate func uppercased(prefix count: Int) -> String { prefix(count).uppercased() + dropFirst(count) }
}
