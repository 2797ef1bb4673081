/// Diagnostics about universal links that a device skips or interprets differently than intended.
package enum LinkDiagnostic: String, DiagnosticGroup {
    case noDetails = "links-without-details"
    case noApps = "links-detail-without-apps"
    case appIDIgnored = "links-app-id-ignored"
    case bothGenerations = "links-both-generations"
    case noRules = "links-detail-without-rules"
    case onlyExclusions = "links-only-exclusions"
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
    case wrongType = "links-value-of-wrong-kind"
    case legacyApps = "links-apps-not-empty"

    package var row: Diagnostic.Row {
        switch self {
        case .noDetails:
            warned("applinks has an array of details.", "Without details, no URL opens an app.", .applinks, "{}")
        case .noApps:
            warned(
                "Each detail lists its apps in appIDs or appID.", "The device skips a detail without apps.", .applinks,
                #"{"components":[{"/":"*"}]}"#)
        case .appIDIgnored:
            warned(
                "A detail has appIDs or appID, not both.", "appIDs takes precedence, even when it is empty.",
                .observed, #"{"appID":"A.b","appIDs":[]}"#)
        case .bothGenerations:
            .init(
                "The components and the paths of a detail match the same URLs.",
                because: "In iOS 13 and later, components takes precedence. paths is for iOS 12 and earlier.",
                .all(.note), .applinks, example: #"{"appIDs":["A.b"],"components":[],"paths":[]}"#)
        case .noRules:
            warned(
                "A detail has components or paths.", "Without them, the detail matches no URL.", .applinks,
                #"{"appIDs":["A.b"]}"#)
        case .onlyExclusions:
            .init(
                "At least one component or path can open the app.",
                because: "A rule with exclude or NOT only blocks URLs, so no URL opens the app.", .all(.denial),
                .applinks, message: "All rules of applinks exclude URLs, so no URL opens an app.",
                fix: #"Add a component that matches, such as {"/":"*"}, after the exclusions."#,
                example: #"{"appID":"A.b","paths":["NOT /admin/*"]}"#)
        case .notAString:
            warned(
                "A pattern is a string.", "The device ignores other values, so more URLs match.", .observed, #"{"/":7}"#
            )
        case .queryVoid:
            warned(
                "Each value of a query dictionary is a string.",
                "The device ignores a dictionary with any other value, so every query matches.", .observed,
                #"{"?":{"id":7}}"#)
        case .unknownVariable:
            warned(
                "A variable is built in or defined in substitutionVariables, with the same letter case.",
                "The device does not replace an unknown variable, so the pattern matches no URL.", .applinks,
                #"{"/":"/$(food)"}"#)
        case .variable:
            warned(
                "The value of a custom variable is an array of strings without variables.",
                "The device does not replace variables inside values.", .applinks,
                #"{"substitutionVariables":{"food":"soup"}}"#)
        case .misspelt:
            warned(
                "The keys of a component are spelled as in Apple's documentation.", "The device ignores other keys.",
                .applinks, #"{"/":"/a","exlude":true}"#)
        case .unknownKey:
            .init(
                "A component has only documented keys.", because: "The device ignores other keys.",
                .all(.note), .observed, example: #"{"/":"/a","owner":"me"}"#)
        case .unreachable:
            warned(
                "Each component can match a URL.",
                "The first matching component determines the result. The device does not try later components.",
                .applinks, #"[{"/":"*"},{"/":"/a"}]"#)
        case .misusedNot:
            warned(
                "NOT is at the start of a legacy path, followed by one space.",
                "Elsewhere, or without the space, the word is part of the pattern.", .appSearch, #""NOT/a""#)
        case .wholeURL:
            warned(
                "A path pattern contains only a path.",
                "The device compares only the path, so a pattern with a scheme or host never matches.", .applinks,
                #"{"/":"https://example.com/a"}"#)
        case .queryInPath:
            warned(
                "The query and the fragment have their own patterns: \"?\" and \"#\".",
                "In a path, ? matches one character. # matches itself, and no path contains it.", .applinks,
                #"{"/":"/a?b=c"}"#)
        case .neverMatches:
            warned(
                "A pattern is percent-encoded like the URL, unless percentEncoded is false.",
                "A character that the compared URL cannot contain never matches.", .observed, #"{"/":"/é"}"#)
        case .wrongType:
            warned(
                "Each value in applinks has its documented type. For example, appIDs is an array of strings, and "
                    + "exclude is true or false.",
                "The device ignores other values.", .observed, #"{"/":"/a","exclude":"true"}"#)
        case .legacyApps:
            .init(
                "If applinks.apps is present, it is an empty array.",
                because: "iOS 12 and earlier require an empty array. Current devices ignore this key.",
                SeverityByProfile(device: .note, documented: .warning, ios9: .warning), .appSearch,
                example: #"{"applinks":{"apps":["A.b"],"details":[]}}"#)
        }
    }

    private func warned(_ text: String, _ reason: String, _ source: Source, _ example: String) -> Diagnostic.Row {
        .init(text, because: reason, .all(.warning), source, example: example)
    }
}
