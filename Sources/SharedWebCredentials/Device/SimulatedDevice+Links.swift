import AssociatedDomains
import HTTPSClient
import SourceJSON
import UniversalLinks

extension SimulatedDevice {
    /// Finds out where the device opens a URL that was tapped outside of its own site.
    ///
    /// The apps are asked in the order of their installation. Of an app's entries an explicit one for the host counts
    /// alone; else the wildcards do, the longest first. App Clips come after all apps.
    ///
    /// - Parameter url: the URL.
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
                // What the site decided about the app is not overruled by a shorter wildcard.
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
    /// The records of an app that decide about a URL.
    fileprivate func records(of app: InstalledApp, _ service: Service, for url: WebURL) -> [AssociationRecord] {
        let covering = records.filter { record in
            record.app == app.identifier && record.service == service
                && record.entry.covers(url.host, in: reading.ofSites) && record.entry.securePort == url.port ?? 443
        }
        let explicit = covering.filter { !$0.entry.isWildcard }
        return explicit.isEmpty
            ? covering.sorted { $0.entry.host.utf8.count > $1.entry.host.utf8.count } : explicit
    }
}

extension AssociationRecord {
    /// The links of the site's file; nil when it has none.
    fileprivate var universalLinks: UniversalLinks? {
        guard let object = try? JSONDocument(links).root.object, let value = object[Service.applinks.rawValue],
            let applinks = value.object
        else { return nil }
        return UniversalLinks(applinks, location: value.location)
    }
}
