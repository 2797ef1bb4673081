package import AssociatedDomains
package import AssociationChecker
package import MotivatorPlatform
import WebChecker

/// Reports as one HTML file, for example for a ticket. The file has no script and loads nothing.
package struct ReportPage {
    let time: String
    let version: String
    let results: [CheckView]
    let style = String(decoding: PackageResources.style_css, as: UTF8.self)

    /// - Parameter profiles: the profiles to show, at least one. The conclusions apply to the first profile.
    package init(_ reports: [Report], profiles: [Profile], version: String, at now: UnixTime) {
        results = reports.enumerated().map { CheckView($1, profiles: profiles, number: $0 + 1) }
        (time, self.version) = (Timestamp.text(now), version)
    }

    package var bytes: [UInt8] { Array(Renderer(Templates.all).text(self, "report").utf8) }
}
