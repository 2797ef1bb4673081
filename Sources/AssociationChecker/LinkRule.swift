/// The universal links: what a device skips or takes otherwise than it was meant.
enum LinkRule: String, RuleGroup {
    case noDetails = "links-without-details"
    case noApps = "links-detail-without-apps"
    case appIDIgnored = "links-app-id-ignored"
    case bothGenerations = "links-both-generations"
    case noRules = "links-detail-without-rules"
    case notAString = "links-pattern-not-a-string"
    case queryVoid = "links-query-void"
    case unknownVariable = "links-unknown-variable"
    case variable = "links-variable"
    case misspelt = "links-key-misspelt"
    case unknownKey = "links-key-unknown"
    case unreachable = "links-rule-unreachable"
    case misusedNot = "links-not-misused"
    case wholeURL = "links-whole-url"
    case queryInPath = "links-query-in-path"
    case neverMatches = "links-never-matches"
    case wrongKind = "links-value-of-wrong-kind"
    case legacyApps = "links-apps-not-empty"

    package var entry: Rule.Entry {
        switch self {
        case .noDetails:
            warned("applinks has details, an array of objects.", "Without it no URL opens any app.", .applinks)
        case .noApps:
            warned("Each detail names its apps in appIDs or appID.", "A device skips one that names none.", .applinks)
        case .appIDIgnored:
            warned("A detail has appIDs or appID, not both.", "appIDs wins, even when it is empty.", .observed)
        case .bothGenerations:
            .init(
                "A detail has components or paths; both are for both generations of devices.",
                because: "components wins since iOS 13, and paths are for iOS 12 and before; they should say the same.",
                .all(.note), .applinks)
        case .noRules:
            warned("A detail has components or paths.", "Without them no URL is matched.", .applinks)
        case .notAString: warned("A pattern is a string.", "A device skips others, so that more matches.", .observed)
        case .queryVoid:
            warned(
                "Each value of a query dictionary is a string.",
                "One that is not voids the whole dictionary, so that every query matches.", .observed)
        case .unknownVariable:
            warned(
                "A variable is built in or in substitutionVariables; its case counts.",
                "An unknown one is not replaced, and matches nothing that a URL has.", .applinks)
        case .variable:
            warned(
                "An own variable is an array of strings without variables inside.",
                "A device does not look for variables in values.", .applinks)
        case .misspelt:
            warned("The keys of a component are spelt as Apple spells them.", "A device ignores others.", .applinks)
        case .unknownKey:
            .init(
                "The keys of a component are those that Apple knows.", because: "A device ignores others.",
                .all(.note), .observed)
        case .unreachable:
            warned(
                "Each component can be reached.", "The first one that matches decides; later ones are not tried.",
                .applinks)
        case .misusedNot:
            warned(
                "NOT stands in front of a legacy path, with one space behind it.",
                "Elsewhere, or without the space, the word is part of the pattern.", .appSearch)
        case .wholeURL:
            warned(
                "A path pattern is a path alone.", "Scheme and host are not compared, and so nothing matches.",
                .applinks)
        case .queryInPath:
            warned(
                "Query and fragment have patterns of their own: \"?\" and \"#\".",
                "In a path ? stands for one character, and # for itself, which no path has.", .applinks)
        case .neverMatches:
            warned(
                "A pattern is written as the URL will be: percent-encoded, unless percentEncoded is false.",
                "What cannot be in the URL that is compared never matches.", .observed)
        case .wrongKind:
            warned(
                "exclude, caseSensitive and percentEncoded are true or false.", "A device ignores other values.",
                .observed)
        case .legacyApps:
            .init(
                "applinks.apps is empty where it is there.",
                because: "iOS 12 and before need it, and need it empty; current devices ignore it.",
                Consequences(documented: .warning, device: .note, legacy: .warning), .appSearch)
        }
    }

    private func warned(_ text: String, _ reason: String, _ source: Source) -> Rule.Entry {
        .init(text, because: reason, .all(.warning), source)
    }
}
