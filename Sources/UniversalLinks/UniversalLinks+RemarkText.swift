import Platform
import SourceJSON

extension UniversalLinks.Remark.Kind {
    package var problem: String {
        switch self {
        case .wrongKind(let key, let found, let expected):
            "\(key.excerpt) has \(found.rawValue) where \(expected.rawValue) has to be, which a device skips"
        case .noDetails: "applinks has no details, so that no URL opens an app"
        case .legacyApps(let count):
            "\"apps\" of applinks has \(count) entr\(count == 1 ? "y" : "ies"), where iOS 12 and before want it empty"
        case .noApps: "the detail names no app"
        case .appTwice(let app, let first): "\(app.excerpt) stands here again, after \(first)"
        case .appIDBesideAppIDs: "\"appID\" stands beside \"appIDs\", which wins"
        case .bothGenerations:
            "the detail has \"components\" and \"paths\": iOS 12 and before read the one, all later systems the other"
        case .noPatterns: "the detail has neither \"components\" nor \"paths\", so that it matches no URL"
        case .emptyPatterns(let key): "\(key.excerpt) is empty, so that the detail matches no URL"
        case .misspeltKey(let key, let meant):
            "the key \(key.excerpt) means nothing to a device; it looks like \(meant.excerpt)"
        case .unknownKey(let key): "the key \(key.excerpt) means nothing to a device"
        case .repeated(let earlier, let likeness, let isLegacy):
            "the \(isLegacy ? "path" : "component") can never decide: the one at \(earlier) \(likeness.reason)"
        case .afterCatchAll(let location, let count, let isLegacy):
            "this \(isLegacy ? "path" : "component")\(count == 1 ? "" : ", with those behind it \(count) in all,") can "
                + "never decide: the one at \(location) matches every URL"
        case .detailAfterCatchAll(let location):
            "the detail can never decide: for all of its apps the rule at \(location), or one before, matches every URL"
        case .patternNotString(let key, let found):
            "the pattern \(key.excerpt) is \(found.rawValue), not a string, so that everything matches it"
        case .queryVoided(let item, let found):
            "the query item \(item.excerpt) is \(found.rawValue), not a string, which voids the whole dictionary: "
                + "every query matches"
        case .flagNotBoolean(let key, let found):
            "\(key.excerpt) is \(found.rawValue), not a boolean, so that it is as if it were missing"
        case .malformedNot(let text):
            "the path \(text.excerpt) does not begin with \"NOT\" and one space before a path, so that nothing is excluded"
        case .notInComponent(let text):
            "the pattern \(text.excerpt) begins with \"NOT \", which has a meaning only in \"paths\""
        case .hostInPath(let text): "the path pattern \(text.excerpt) has a scheme or a host in it"
        case .queryInPath(let text):
            "the path pattern \(text.excerpt) has a \"?\" as if a query began there, but it stands for one character"
        case .fragmentInPath(let text):
            "the path pattern \(text.excerpt) has a \"#\", which no path has as it is"
        case .neverAsWritten(let text, let scalar, _):
            "the pattern \(text.excerpt) has \(scalar == " " ? "a space" : scalar.shown), which is percent-encoded in every URL, so that it never matches"
        case .escapeWhenDecoded(let text, _):
            "the pattern \(text.excerpt) has a percent escape, but is compared with the decoded URL"
        case .unknownVariable(let name):
            "the substitution variable \(name.excerpt) is not defined, so that it is taken as literal text"
        case .builtInName(let name):
            "the substitution variable \(name.excerpt) has the name of a built-in one, which wins"
        case .variableNotStrings(let name, let found):
            "the substitution variable \(name.excerpt) has \(found.rawValue) where only an array of strings counts"
        case .emptyVariable(let name):
            "the substitution variable \(name.excerpt) has no value, so that no pattern with it matches"
        case .variableInVariable(let name, let value):
            "the value \(value.excerpt) of the substitution variable \(name.excerpt) has a variable in it, "
                + "which is taken as literal text"
        case .unusedVariable(let name): "no pattern uses the substitution variable \(name.excerpt)"
        }
    }

    package var remedy: String {
        switch self {
        case .wrongKind(_, _, let expected): "Put \(expected.rawValue) there, or remove the value"
        case .noDetails: "Add \"details\" with an object for each group of apps, or remove applinks"
        case .legacyApps: "Make \"apps\" an empty array, and name the apps in \"details\""
        case .appTwice: "Remove one of the two"
        case .noApps: "Name the apps in \"appIDs\", or remove the detail"
        case .appIDBesideAppIDs: "Remove \"appID\""
        case .bothGenerations: "Keep \"paths\" only if iOS 12 and before still count"
        case .noPatterns, .emptyPatterns: "Add a component, such as {\"/\":\"/buy/*\"}, or remove the detail"
        case .misspeltKey(_, let meant): "Write it as \(meant.excerpt)"
        case .unknownKey: "Remove the key"
        case .repeated(_, let likeness, _): likeness.remedy
        case .afterCatchAll(_, _, let isLegacy):
            "Put the \(isLegacy ? "path" : "component") that matches every URL last, or remove what stands behind it"
        case .detailAfterCatchAll: "Put the detail first, or remove it"
        case .patternNotString, .queryVoided: "Put the pattern in straight double quotes"
        case .flagNotBoolean: "Write true or false without quotes"
        case .malformedNot(let text): "Write it as \(Self.corrected(text).excerpt)"
        case .notInComponent: "Write the path alone, and \"exclude\": true beside it"
        case .hostInPath: "Write only the path; the host is the one that serves the file"
        case .queryInPath: "Write the query in \"?\" of a component, and only the path in \"/\""
        case .fragmentInPath: "Write the fragment in \"#\" of a component, and only the path in \"/\""
        case .neverAsWritten(_, _, isLegacy: true): "Write the character percent-encoded"
        case .neverAsWritten:
            "Write the character percent-encoded, or \"percentEncoded\": false to compare with the decoded URL"
        case .escapeWhenDecoded(_, isLegacy: true): "Write the character itself"
        case .escapeWhenDecoded:
            "Write the character itself, or \"percentEncoded\": true to compare with the URL as it is written"
        case .unknownVariable: "Define it in \"substitutionVariables\", or correct its name, whose case counts"
        case .builtInName: "Give the own variable another name"
        case .variableNotStrings: "Write an array of strings"
        case .emptyVariable: "Give it a value, or remove it"
        case .variableInVariable: "Write the values out"
        case .unusedVariable: "Remove it, or correct the name in the pattern that is meant to use it"
        }
    }

    /// `NOT` and one space before the path that was meant.
    private static func corrected(_ text: String) -> String {
        let path = text.unicodeScalars.dropFirst(3).drop(while: \.properties.isWhitespace)
        return "NOT \(path.isEmpty ? "/path" : String(path))"
    }
}

extension UniversalLinks.Remark.Likeness {
    fileprivate var reason: String {
        switch self {
        case .same: "has the same conditions"
        case .absent(let part):
            "matches the same URLs, because \"*\" in \"\(part.rawValue)\" matches what is absent or empty, too"
        case .trailingSlash: "has the same path, at whose end a slash does not count"
        case .slashes: "has the same path, in which a slash at the beginning or the end and a doubled sign do not count"
        }
    }

    fileprivate var remedy: String {
        switch self {
        case .same, .trailingSlash, .slashes: "Remove one of the two"
        case .absent:
            "Write \"?*\" for what has to be there, and put that component first, or remove one of the two"
        }
    }
}
