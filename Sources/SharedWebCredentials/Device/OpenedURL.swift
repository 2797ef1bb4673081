public import AssociatedDomains
import UniversalLinks

/// Where a device opens a URL.
public enum OpenedURL: Sendable, Hashable {
    /// In an app, by a universal link; what in the site's file decides.
    case app(AppIdentifier, UniversalLinks.Match)
    /// In an App Clip.
    case appClip(AppIdentifier)
    /// In the browser, with what kept it from each app that has an entry for the host.
    case browser([Obstacle])

    /// What kept a URL from an app.
    public struct Obstacle: Sendable, Hashable {
        /// What it is.
        public enum Kind: Sendable, Hashable {
            /// The site does not approve the app; why, when it is known.
            case notApproved(AssociationFailure?)
            /// The file's decision: no component matches, or one excludes the URL.
            case links(UniversalLinks.Match)
        }

        /// The app.
        public let app: AppIdentifier
        /// What kept it.
        public let kind: Kind
    }
}
