import Platform

extension AssociatedDomain {
    /// Something about an entry that a device accepts, but a careful reader would tell.
    public struct Remark: Hashable, Sendable {
        /// What a remark is about.
        public enum Kind: String, CaseIterable, Sendable {
            /// A word after `mode=` that no device knows and that is ignored.
            case unknownMode
            /// A port with a service for which no document has one.
            case undocumentedPort
            /// The port of https, which needs no writing.
            case defaultPort
            case upperCaseHost
            /// Whether a wildcard covers the host behind `*.`: Apple's documents differ.
            case wildcardRoot
            /// A wildcard for a name below which anybody may register.
            case wildcardPublicSuffix
            /// No mode, and a host that Apple's CDN cannot reach.
            case unreachableHost
            case developerMode
            case managedMode
            /// An underscore in the host, or a hyphen at the edge of a label.
            case unusualName
            /// A host that is an application identifier by its look.
            case looksLikeAppIdentifier
            /// A host that is a bundle identifier by its look.
            case looksLikeBundleIdentifier
        }

        /// What it is about.
        public let kind: Kind
        /// What it is, with the value that caused it; a sentence without the full stop.
        public let problem: String
        /// What the reader can do about it; a sentence without the full stop.
        public let remedy: String
    }
}

extension AssociatedDomainReader {
    /// The remarks of an entry that was read.
    package var remarks: [AssociatedDomain.Remark] {
        var remarks: [AssociatedDomain.Remark] = []
        func add(_ kind: AssociatedDomain.Remark.Kind, _ problem: String, _ remedy: String) {
            remarks.append(AssociatedDomain.Remark(kind: kind, problem: problem, remedy: remedy))
        }
        remarkOnHost(add)
        remarkOnWildcard(add)
        remarkOnPort(add)
        remarkOnModes(add)
        return remarks
    }

    private typealias Add = (AssociatedDomain.Remark.Kind, String, String) -> Void

    private func remarkOnHost(_ add: Add) {
        let written = host.written
        if (try? AppIdentifier(written)) != nil {
            add(
                .looksLikeAppIdentifier, "the host \(written.excerpt) looks like an application identifier",
                "Put the domain of the website there; the application identifier belongs in the association file")
        } else if HostText.looksReversed(host.name) {
            add(
                .looksLikeBundleIdentifier, "the host \(written.excerpt) looks like a bundle identifier",
                "Put the domain of the website there, such as \"\(HostText.reversed(host.name))\"")
        } else if written != HostText.lowered(written), !host.isAddress {
            add(
                .upperCaseHost,
                "the host \(written.excerpt) has upper-case letters, which a device takes as lower-case",
                "Write the host as \(host.name.excerpt)")
        }
        if HostText.isUnusual(host.name), !host.isAddress {
            add(
                .unusualName, "the host \(written.excerpt) has an underscore, or a hyphen at the edge of a label",
                "Make sure that the host is written so: public authorities issue no certificate for an underscore, and "
                    + "RFC 1123 allows a hyphen only inside of a label")
        }
        if modes.isEmpty, HostText.isPrivate(host.name) {
            add(
                .unreachableHost,
                "the host \(written.excerpt) is not in the public DNS, and without a mode the file is fetched by Apple's "
                    + "CDN, which cannot reach it",
                "Add ?mode=developer to test it on a device in developer mode, or name a public host")
        }
    }

    private func remarkOnWildcard(_ add: Add) {
        guard host.isWildcard else { return }
        if HostText.looksPublic(host.name) {
            add(
                .wildcardPublicSuffix, "the wildcard \(host.written.excerpt) takes in names that others may register",
                "Name your own domain behind \"*.\", such as \"*.example.\(host.name)\"")
        } else {
            add(
                .wildcardRoot,
                "the wildcard \(host.written.excerpt) covers \(host.name.excerpt) itself on devices and by TN3155, but not "
                    + "by the App Search Programming Guide (archived)",
                "Add \"\(service.rawValue):\(host.name)\" if the app has to work with iOS 13 or older")
        }
    }

    private func remarkOnPort(_ add: Add) {
        guard let port else { return }
        if port == 443 {
            add(.defaultPort, "the port 443 is the one of https anyway", "Leave the port out")
        } else if service != .webcredentials {
            add(
                .undocumentedPort,
                "the entry has the port \(port), which devices take, but Apple documents only for webcredentials",
                "Serve the association file at port 443 and leave the port out")
        }
    }

    private func remarkOnModes(_ add: Add) {
        for word in unknownModes {
            add(
                .unknownMode,
                word.isEmpty
                    ? "nothing stands where a word of \"mode=\" has to be, which a device ignores"
                    : "the mode \(word.excerpt) is unknown, and a device ignores it",
                modes.isEmpty
                    ? "Write developer or managed, or leave \"?mode=\" out"
                    : "Remove the word: the modes are developer, managed and developer+managed")
        }
        if modes.contains(.developer) {
            add(
                .developerMode,
                "mode=developer counts only for an app with a development signature on a device in developer mode",
                "Switch developer mode and Associated Domains Development on in the device's settings, and remove the mode "
                    + "before the app is released")
        }
        if modes.contains(.managed) {
            add(
                .managedMode, "mode=managed counts only on a device under management",
                "Install the app by device management, with direct downloads of associated domains switched on")
        }
    }
}

extension HostText {
    /// Whether a name begins as bundle identifiers do, which are domains the wrong way round.
    static func looksReversed(_ name: String) -> Bool {
        let labels = name.split(separator: ".")
        guard labels.count > 1, let first = labels.first, let last = labels.last else { return false }
        return ["com", "org", "net", "edu"].contains(first) && !["com", "org", "net", "edu"].contains(last)
    }

    /// The domain that the first two labels of a bundle identifier say.
    package static func reversed(_ name: String) -> String {
        name.split(separator: ".").prefix(2).reversed().joined(separator: ".")
    }

    static func isUnusual(_ name: String) -> Bool {
        name.contains("_") || name.split(separator: ".").contains { $0.hasPrefix("-") || $0.hasSuffix("-") }
    }
}
