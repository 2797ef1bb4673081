public import AssociatedDomains
import AssociationChecker
public import HTTPSClient
public import UniversalLinks

/// The app or browser where a device opens a URL.
public enum OpenedURL: Sendable, Hashable {
    /// An app, through a universal link, with the match in the site's file.
    case app(AppIdentifier, UniversalLinks.Match)
    /// An App Clip.
    case appClip(AppIdentifier)
    /// The browser, with an obstacle for each app that has an entry for the host.
    case browser([Obstacle])

    /// The reason why an app does not open a URL.
    public struct Obstacle: Sendable, Hashable {
        public enum Kind: Sendable, Hashable {
            /// The site has not approved the app. The associated value is the reason, if known.
            case notApproved(AssociationFailure?)
            /// No component in the file matches, or a component excludes the URL.
            case links(UniversalLinks.Match)
        }

        public let app: AppIdentifier
        public let kind: Kind
    }
}

extension SimulatedDevice {
    /// Returns where the device opens a URL that the user tapped outside the URL's own site.
    ///
    /// The device evaluates the apps in installation order. If an app has an explicit entry for the host, only that
    /// entry counts. Otherwise its wildcard entries count, the longest first. App Clips come after all apps.
    public func openURL(_ url: WebURL) -> OpenedURL {
        var obstacles: [OpenedURL.Obstacle] = []
        for app in state.apps where !app.isAppClip {
            for record in state.records(of: app, .applinks, for: url) {
                guard record.siteApproval == .approved, let links = record.universalLinks else {
                    obstacles.append(.init(app: app.identifier, kind: .notApproved(record.failure)))
                    continue
                }
                let match = links.match(url, app: "\(app.identifier)")
                if match.outcome == .matched { return .app(app.identifier, match) }
                obstacles.append(.init(app: app.identifier, kind: .links(match)))
                // A shorter wildcard does not override the site's decision about the app.
                if match.outcome == .blocked { break }
            }
        }
        for clip in state.apps where clip.isAppClip {
            for record in state.records(of: clip, .appclips, for: url) {
                if record.siteApproval == .approved { return .appClip(clip.identifier) }
                obstacles.append(.init(app: clip.identifier, kind: .notApproved(record.failure)))
            }
        }
        return .browser(obstacles)
    }
}

extension DeviceState {
    /// Returns the records of an app that apply to a URL.
    fileprivate func records(of app: InstalledApp, _ service: Service, for url: WebURL) -> [AssociationRecord] {
        let covering = records.filter { record in
            record.app == app.identifier && record.service == service
                && record.entry.covers(url.host, in: system.ofSites) && record.entry.securePort == url.port ?? 443
        }
        let explicit = covering.filter { !$0.entry.isWildcard }
        return explicit.isEmpty
            ? covering.sorted { $0.entry.host.utf8.count > $1.entry.host.utf8.count } : explicit
    }
}

extension AssociationRecord {
    /// The universal links in the site's file; nil if the file has none.
    fileprivate var universalLinks: UniversalLinks? { AssociationFile(Array(links.utf8), name: "", at: 0).links }
}
