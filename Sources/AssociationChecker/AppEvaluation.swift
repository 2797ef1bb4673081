import AssociatedDomains
import MotivatorPlatform
import SourceJSON
import UniversalLinks

/// An evaluation of whether a file associates the requested apps for the requested services.
struct AppEvaluation {
    let association: LenientAssociation
    let subject: String
    /// The requested services. If empty, one service that lists the app is enough.
    let services: [Service]
    let apps: [AppIdentifier]

    /// Returns the issues in one profile. An unsupported service results only in a note.
    func issues(_ profile: Profile) -> [Issue] {
        let unknown = services.filter { !profile.knows($0) }
        let known = services.filter(profile.knows)
        let notes = unknown.map { service in
            Issue(
                ServiceDiagnostic.notInVersion, ["service": service.rawValue, "systems": profile.systems], in: subject,
                at: association.root.location)
        }
        guard unknown.isEmpty || !known.isEmpty else { return notes }
        return notes + issues(known, profile)
    }

    private func issues(_ services: [Service], _ profile: Profile) -> [Issue] {
        let present = association.services.filter(profile.knows)
        guard !services.isEmpty || apps.isEmpty else {
            // Without a requested service, any service that lists the app is enough.
            guard present.isEmpty else { return apps.flatMap { listedAnywhere($0, present) } }
            return association.services.isEmpty ? requested([.webcredentials], present) : []
        }
        return requested(services, present) + exclusions(services.isEmpty ? present : services)
    }

    private func requested(_ services: [Service], _ present: [Service]) -> [Issue] {
        var issues = services.filter { association.apps[$0] == nil }.compactMap(missing)
        let found = services.filter { association.apps[$0] != nil }
        let evaluated = services.isEmpty ? present : found
        if apps.isEmpty, !evaluated.isEmpty,
            !evaluated.flatMap({ association.apps[$0] ?? [] }).contains(where: \.isValid)
        {
            issues += evaluated.map { service in
                Issue(
                    AppDiagnostic.noApp, ["service": service.rawValue], in: subject, at: association.root.location)
            }
        }
        for app in apps {
            for service in found where !isListed(app, for: service) { issues.append(notListed(app, service)) }
        }
        return issues
    }

    /// Returns an issue if applinks is the only evaluated service and all rules exclude URLs.
    private func exclusions(_ services: [Service]) -> [Issue] {
        guard services == [.applinks], association.onlyExcludes else { return [] }
        return [Issue(LinkDiagnostic.onlyExclusions, in: subject, at: association.root.location)]
    }

    private func isListed(_ app: AppIdentifier, for service: Service) -> Bool {
        (association.apps[service] ?? []).contains { app.isNamed(by: $0.text) }
    }

    /// Returns notes for the other services if one service lists the app.
    private func listedAnywhere(_ app: AppIdentifier, _ present: [Service]) -> [Issue] {
        let missing = present.filter { !isListed(app, for: $0) }
        guard missing.count < present.count else { return missing.map { notListed(app, $0) } }
        return missing.map { service in
            Issue(
                AppDiagnostic.notForEveryService, ["app": "\(app)", "service": service.rawValue], in: subject,
                at: association.root.location)
        }
    }

    /// - Returns: The issue, or nil if another issue already explains why the file does not have the service.
    private func missing(_ service: Service) -> Issue? {
        if var misspelt = association.misspelt[service] {
            misspelt.effects = .all(.denial)
            return misspelt
        }
        // Another issue already reports a file without services.
        guard !association.unreadable.contains(service), !association.services.isEmpty else {
            return nil
        }
        let others = association.services.map(\.rawValue).joined(separator: ", ")
        return Issue(
            ServiceDiagnostic.missing,
            ["service": service.rawValue, "present": ", only \(others)", "addition": addition(service)], in: subject,
            at: association.root.location)
    }

    private func addition(_ service: Service) -> String {
        let app = apps.first?.description ?? "PREFIX.BUNDLE-ID"
        return service == .applinks
            ? "\"applinks\":{\"details\":[{\"appIDs\":[\"\(app)\"],\"components\":[{\"/\":\"*\"}]}]}"
            : "\"\(service.rawValue)\":{\"apps\":[\"\(app)\"]}"
    }

    private func notListed(_ app: AppIdentifier, _ service: Service) -> Issue {
        let listed = association.apps[service] ?? []
        let bundle = app.bundleIdentifier
        let near =
            listed.first { $0.bundle == bundle } ?? listed.first { $0.bundle?.lowercased() == bundle.lowercased() }
        if let near {
            return Issue(
                near.bundle == bundle ? AppDiagnostic.otherPrefix : .otherCase,
                ["service": service.rawValue, "listed": near.text.excerpt, "app": "\(app)"], in: subject,
                at: near.location)
        }
        for present in association.services where present != service {
            guard let other = association.apps[present]?.first(where: { app.isNamed(by: $0.text) }) else { continue }
            return Issue(
                AppDiagnostic.listedElsewhere,
                [
                    "app": "\(app)", "present": present.rawValue, "service": service.rawValue,
                    "addition": addition(service),
                ], in: subject, at: other.location)
        }
        let shown = listed.prefix(3).map(\.text.excerpt).joined(separator: ", ")
        let others = shown.isEmpty ? "" : ", only \(shown)\(listed.count > 3 ? " and others" : "")"
        return Issue(
            AppDiagnostic.notListed, ["service": service.rawValue, "app": "\(app)", "others": others], in: subject,
            at: association.root.location)
    }
}

extension LenientAssociation {
    /// Whether applinks has rules and every rule excludes URLs.
    fileprivate var onlyExcludes: Bool {
        let links = root.object?["applinks"]?.object
        let general = links?["defaults"]?.object?["exclude"]?.boolean ?? false
        let details =
            links?["details"]?.array?.compactMap(\.object)
            ?? links?["details"]?.object?.members.compactMap(\.value.object)
        let rules = (details ?? []).flatMap { detail -> [Bool] in
            let excludes = detail["defaults"]?.object?["exclude"]?.boolean ?? general
            if let components = detail["components"]?.array {
                return components.compactMap(\.object).map { $0["exclude"]?.boolean ?? excludes }
            }
            let paths = detail["paths"]?.array?.compactMap(\.string) ?? []
            return paths.map { excludes || $0.utf8.starts(with: "NOT ".utf8) }
        }
        return !rules.isEmpty && rules.allSatisfy(\.self)
    }
}

extension LenientAssociation.App {
    /// Whether an app can have this identifier. Devices compare the prefix in upper case.
    fileprivate var isValid: Bool {
        let prefix = text.prefix(AppIdentifier.prefixLength).uppercased()
        return (try? AppIdentifier(prefix + text.dropFirst(AppIdentifier.prefixLength))) != nil
    }

    /// The text after the first dot.
    fileprivate var bundle: String? {
        text.utf8.firstIndex(of: UInt8(ascii: ".")).map { String(text[text.utf8.index(after: $0)...]) }
    }
}

extension Profile {
    /// Returns whether the profile's systems support a service. Universal links require iOS 9, message filters iOS 11,
    /// reports iOS 12, single sign-on iOS 13, and App Clips iOS 14.
    func knows(_ service: Service) -> Bool {
        switch self {
        case .device, .documented: true
        case .ios9: service != .appclips
        case .ios8: service == .webcredentials || service == .activitycontinuation
        }
    }

    fileprivate var systems: String {
        switch self {
        case .device, .documented: "current systems"
        case .ios9: "iOS 9 to 13"
        case .ios8: "iOS 8"
        }
    }
}
