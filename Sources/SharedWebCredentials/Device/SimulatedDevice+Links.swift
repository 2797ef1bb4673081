public import AssociatedDomains
public import AssociationChecker
public import HTTPSClient
public import UniversalLinks

/// The app or browser where a device opens a URL.
public enum OpenedURL: Sendable, Hashable {
    /// An app, through a universal link, with the match in the site's file.
    case app(AppIdentifier, UniversalLinks.Match)
    /// An App Clip.
    case appClip(AppIdentifier)
    /// The browser, with an obstacle for each app that has an entry for the host, or else for each app.
    case browser([LinkObstacle])
}

extension SimulatedDevice {
    /// Records that the user opened a link in the browser, or in the app again. The device remembers this for the host.
    public func chooseBrowser(_ isBrowser: Bool, for url: WebURL) {
        let others = (state.browserHosts ?? []).filter { $0 != url.host }
        state.browserHosts = isBrowser ? others + [url.host] : others.isEmpty ? nil : others
    }

    /// Returns where the device opens a URL that the user tapped outside the URL's own site.
    ///
    /// The device evaluates the apps in installation order. If an app has an explicit entry for the host, only that
    /// entry counts. Otherwise its wildcard entries count, the longest first. App Clips come after all apps.
    public func openURL(_ url: WebURL) -> OpenedURL {
        var obstacles: [LinkObstacle?] = []
        for app in state.apps where !app.isAppClip {
            for record in state.records(of: app, .applinks, for: url) {
                let links = record.siteApproval == .approved ? record.universalLinks : nil
                let match = links?.match(url, app: "\(app.identifier)")
                if let match, match.outcome == .matched {
                    guard state.browserHosts?.contains(url.host) == true else { return .app(app.identifier, match) }
                    obstacles.append(.userChoice(url, app: "\(app.identifier)"))
                    continue
                }
                obstacles.append(record.obstacle(for: url, links, state.system))
                // A shorter wildcard does not override the site's decision about the app.
                if match?.outcome == .blocked { break }
            }
        }
        for clip in state.apps where clip.isAppClip {
            for record in state.records(of: clip, .appclips, for: url) {
                if record.siteApproval == .approved { return .appClip(clip.identifier) }
                obstacles.append(record.obstacle(for: url, nil, state.system))
            }
        }
        if state.apps.isEmpty { obstacles = [.noApp(url)] }
        if obstacles.isEmpty {
            obstacles = state.apps.map { app in
                let entries = state.records.filter { $0.app == app.identifier }.map(\.entry)
                return .first(
                    for: url, app: "\(app.identifier)", entries: entries, in: state.system.ofSites, links: nil)
            }
        }
        return .browser(obstacles.compactMap(\.self))
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

    fileprivate func obstacle(for url: WebURL, _ links: UniversalLinks?, _ system: DeviceSystem) -> LinkObstacle? {
        let denial = (code: failure?.code, message: failure?.message)
        return .first(
            for: url, app: "\(app)", denial: links == nil ? denial : nil, denialFix: fix(system), links: links)
    }
}
