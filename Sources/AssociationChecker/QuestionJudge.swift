import AssociatedDomains
import Platform
import SourceJSON

/// Answers a question from what a file says.
struct QuestionJudge {
    let outline: AssociationOutline
    package let subject: String
    /// The services that are asked for; empty for any, of which one that names the app is enough.
    package let services: [Service]
    package let apps: [AppIdentifier]

    var findings: [Finding] {
        guard services.isEmpty, !apps.isEmpty else { return findings(services) }
        // Each service by itself can be asked for by name; without one it is enough that the file has the app for any.
        guard !outline.services.isEmpty else { return findings([.webcredentials]) }
        return apps.flatMap(anywhere)
    }

    private func findings(_ services: [Service]) -> [Finding] {
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
            for service in asked where !isNamed(app, for: service) { findings.append(notListed(app, service)) }
        }
        return findings
    }

    private func isNamed(_ app: AppIdentifier, for service: Service) -> Bool {
        (outline.apps[service] ?? []).contains { app.isNamed(by: $0.text) }
    }

    /// What is said of an app when no service is asked for: a note of the services that leave it out, when another names it.
    private func anywhere(_ app: AppIdentifier) -> [Finding] {
        let missing = outline.services.filter { !isNamed(app, for: $0) }
        guard missing.count < outline.services.count else { return missing.map { notListed(app, $0) } }
        return missing.map { service in
            var finding = notListed(
                app, service,
                remedy:
                    "If the app shares \(service.rawValue) too, name it there; --service \(service.rawValue) asks for "
                    + "that service alone")
            finding.consequences = .all(.note)
            return finding
        }
    }

    private func missing(_ service: Service) -> Finding {
        let present = outline.services.map(\.rawValue).joined(separator: ", ")
        return Finding(
            ServiceRule.missing,
            "the file does not have the service \(service.rawValue)" + (present.isEmpty ? "" : ", only \(present)"),
            remedy: elsewhere(service), in: subject, at: outline.root.location)
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
            at: outline.root.location)
    }

    private func notListed(_ app: AppIdentifier, _ service: Service, remedy: String? = nil) -> Finding {
        let listed = outline.apps[service] ?? []
        let bundle = app.bundleIdentifier
        if let other = listed.first(where: { $0.bundle == bundle }) {
            return Finding(
                AppRule.otherPrefix, "\(service.rawValue) names \(other.text.excerpt), the app is \(app)",
                remedy: remedy ?? "Write the App ID prefix of the app: \(app)", in: subject, at: other.place)
        }
        if let other = listed.first(where: { $0.bundle?.lowercased() == bundle.lowercased() }) {
            return Finding(
                AppRule.otherCase, "\(service.rawValue) names \(other.text.excerpt), the app is \(app)",
                remedy: remedy ?? "Write the bundle identifier as the app does: \(app)", in: subject, at: other.place)
        }
        for present in outline.services where present != service {
            if let other = outline.apps[present]?.first(where: { app.isNamed(by: $0.text) }) {
                return Finding(
                    AppRule.listedElsewhere, "\(app) is named for \(present.rawValue), not for \(service.rawValue)",
                    remedy: remedy ?? "Name it for \(service.rawValue) too: \(elsewhere(service).dropFirst(4))",
                    in: subject,
                    at: other.place)
            }
        }
        let others = listed.prefix(3).map(\.text.excerpt).joined(separator: ", ")
        return Finding(
            AppRule.notListed,
            "\(service.rawValue) does not name \(app)"
                + (others.isEmpty ? "" : ", only \(others)\(listed.count > 3 ? " and others" : "")"),
            remedy: remedy ?? "Add \"\(app)\" to the apps of \(service.rawValue)", in: subject,
            at: outline.root.location)
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
