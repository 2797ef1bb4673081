import MotivatorPlatform
import SourceJSON

extension UniversalLinks.LinkIssue.Kind {
    package var problem: String {
        switch self {
        case .wrongKind(let key, let found, let expected):
            "\(key.excerpt) contains \(found.rawValue) instead of \(expected.rawValue); a device skips it"
        case .noDetails: "applinks has no details, so no URL opens an app"
        case .legacyApps(let count):
            "\"apps\" of applinks has \(count) entr\(count == 1 ? "y" : "ies"), "
                + "but iOS 12 and earlier require it to be empty"
        case .noApps: "the detail lists no app"
        case .appTwice(let app, let first): "\(app.excerpt) occurs twice, first at \(first)"
        case .appIDBesideAppIDs: "the detail has \"appID\" and \"appIDs\"; a device uses only \"appIDs\""
        case .bothGenerations:
            "the detail has \"components\" and \"paths\"; iOS 12 and earlier use \"paths\", "
                + "and later systems use \"components\""
        case .noPatterns: "the detail has neither \"components\" nor \"paths\", so it matches no URL"
        case .emptyPatterns(let key): "\(key.excerpt) is empty, so the detail matches no URL"
        case .misspeltKey(let key, _), .unknownKey(let key): "unknown key \(key.excerpt); a device ignores it"
        case .repeated(let earlier, let likeness, let isLegacy):
            "the \(isLegacy ? "path" : "component") can never take effect: the rule at \(earlier) \(likeness.reason)"
        case .afterCatchAll(let location, let count, let isLegacy):
            "this \(isLegacy ? "path" : "component")\(count == 1 ? "" : " and the \(count - 1) after it") "
                + "can never take effect: the rule at \(location) matches every URL"
        case .detailAfterCatchAll(let location):
            "the detail can never take effect: for all its apps, a rule at or before \(location) matches every URL"
        case .patternNotString(let key, let found):
            "the pattern \(key.excerpt) is \(found.rawValue), not a string, so it matches everything"
        case .queryVoided(let item, let found):
            "the query item \(item.excerpt) is \(found.rawValue), not a string, so a device ignores the whole "
                + "dictionary and every query matches"
        case .flagNotBoolean(let key, let found):
            "\(key.excerpt) is \(found.rawValue), not a boolean; a device ignores it"
        case .malformedNot(let text):
            "the path \(text.excerpt) does not begin with \"NOT\", one space and a path, so it excludes nothing"
        case .notInComponent(let text):
            "the pattern \(text.excerpt) begins with \"NOT \", which works only in \"paths\""
        case .hostInPath(let text): "the path pattern \(text.excerpt) contains a scheme or a host"
        case .queryInPath(let text):
            "the path pattern \(text.excerpt) contains a query, but \"?\" in a path matches one character"
        case .fragmentInPath(let text):
            "the path pattern \(text.excerpt) contains \"#\", which no path contains"
        case .neverAsWritten(let text, let scalar, _):
            "the pattern \(text.excerpt) contains \(scalar == " " ? "a space" : scalar.shown), "
                + "which is percent-encoded in every URL, so the pattern never matches"
        case .escapeWhenDecoded(let text, _):
            "the pattern \(text.excerpt) contains a percent escape, but is compared with the decoded URL"
        case .unknownVariable(let name):
            "the substitution variable \(name.excerpt) is not defined, so a device treats it as literal text"
        case .builtInName(let name):
            "the substitution variable \(name.excerpt) has the name of a built-in variable, which a device uses instead"
        case .variableNotStrings(let name, let found):
            "the substitution variable \(name.excerpt) contains \(found.rawValue), "
                + "but a device accepts only an array of strings"
        case .emptyVariable(let name):
            "the substitution variable \(name.excerpt) has no value, so no pattern with it matches"
        case .variableInVariable(let name, let value):
            "the value \(value.excerpt) of the substitution variable \(name.excerpt) contains a variable, "
                + "which a device treats as literal text"
        case .unusedVariable(let name): "no pattern uses the substitution variable \(name.excerpt)"
        }
    }

    package var fix: String {
        switch self {
        case .wrongKind(_, _, let expected): "Replace it with \(expected.rawValue), or remove it"
        case .noDetails: "Add \"details\" with an object for each group of apps, or remove applinks"
        case .legacyApps: "Make \"apps\" an empty array, and list the apps in \"details\""
        case .appTwice: "Remove one of the two entries"
        case .noApps: "List the apps in \"appIDs\", or remove the detail"
        case .appIDBesideAppIDs: "Remove \"appID\""
        case .bothGenerations: "Keep \"paths\" only if you support iOS 12 and earlier"
        case .noPatterns, .emptyPatterns: "Add a component, such as {\"/\":\"/buy/*\"}, or remove the detail"
        case .misspeltKey(_, let meant): "Rename it to \(meant.excerpt)"
        case .unknownKey: "Remove the key"
        case .repeated(_, let likeness, _): likeness.fix
        case .afterCatchAll(_, _, let isLegacy):
            "Put the \(isLegacy ? "path" : "component") that matches every URL last, or remove the rules after it"
        case .detailAfterCatchAll: "Put the detail first, or remove it"
        case .patternNotString, .queryVoided: "Put the pattern in straight double quotes"
        case .flagNotBoolean: "Write true or false without quotes"
        case .malformedNot(let text): "Write it as \(Self.corrected(text).excerpt)"
        case .notInComponent: "Remove \"NOT \" and add \"exclude\": true to the component"
        case .hostInPath: "Write only the path; the rule applies to the host that serves the file"
        case .queryInPath: "Move the query to the \"?\" key of a component, and keep only the path in \"/\""
        case .fragmentInPath: "Move the fragment to the \"#\" key of a component, and keep only the path in \"/\""
        case .neverAsWritten(_, _, isLegacy: true): "Write the character percent-encoded"
        case .neverAsWritten:
            "Write the character percent-encoded, or add \"percentEncoded\": false to compare with the decoded URL"
        case .escapeWhenDecoded(_, isLegacy: true): "Write the character itself"
        case .escapeWhenDecoded:
            "Write the character itself, or set \"percentEncoded\": true to compare with the URL as it is written"
        case .unknownVariable: "Define it in \"substitutionVariables\", or correct its name, which is case-sensitive"
        case .builtInName: "Rename the custom variable"
        case .variableNotStrings: "Write an array of strings"
        case .emptyVariable: "Add a value, or remove the variable"
        case .variableInVariable: "Write out the values of the inner variable"
        case .unusedVariable: "Remove the variable, or correct its name in the pattern that should use it"
        }
    }

    /// Returns the path after `NOT` and one space.
    private static func corrected(_ text: String) -> String {
        let path = text.unicodeScalars.dropFirst(3).drop(while: \.properties.isWhitespace)
        return "NOT \(path.isEmpty ? "/path" : String(path))"
    }
}

extension UniversalLinks.LinkIssue.Likeness {
    fileprivate var reason: String {
        switch self {
        case .same: "has the same conditions"
        case .absent(let part):
            "matches the same URLs, because \"*\" in \"\(part.rawValue)\" also matches an absent or empty value"
        case .trailingSlash: "has the same path, because a slash at the end does not count"
        case .slashes:
            "has the same path, because redundant slashes and \"*\" characters do not count"
        }
    }

    fileprivate var fix: String {
        switch self {
        case .same, .trailingSlash, .slashes: "Remove one of the two rules"
        case .absent:
            "To require a value, write \"?*\" and put that component first; otherwise, remove one of the two rules"
        }
    }
}
