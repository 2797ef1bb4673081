package import AssociationDiagnostics
import MotivatorPlatform
import SourceJSON

extension UniversalLinks.LinkIssue.Kind: CatalogIssue {
    package static let examples: [UniversalLinks.LinkIssue.Kind] = [
        .noDetails, .detailsDictionary, .noApps, .appIDBesideAppIDs, .bothGenerations(), .noPatterns,
        .onlyExclusions, .patternNotString(key: "/", found: .number), .queryVoided(item: "id", found: .number),
        .matchesAbsentItem("app", .query, isEverything: true, excludes: true), .unknownVariable("food"),
        .emptyVariable("food"), .misspeltKey("exlude", meant: "exclude"), .unknownKey("owner"),
        .afterCatchAll(.start, count: 1, hasSameResult: false), .malformedNot("NOT/a"),
        .hostInPath("https://example.com/a", path: "/a"), .queryInPath("/a?b=c"),
        .leadingDelimiter("#a", key: "#", meant: "a"), .surroundingSpace(" /a ", trimmed: "/a"),
        .foreignSyntax("/{id}", construct: "{id}", patterns: ["/*"]), .noLeadingSlash("a"),
        .neverAsWritten("/é", "é"), .flagNotBoolean(key: "caseSensitive", found: .string), .legacyApps(count: 1),
    ]

    private static let app = "D3KQX62K1A.com.example.DemoApp"
    private static let otherApp = "D3KQX62K1A.com.example.Other"

    private static func detail(_ rules: String) -> String { #"{"appIDs":["\#(app)"]\#(rules)}"# }

    package var entry: CatalogEntry {
        switch self {
        case .wrongKind(let key, let found, let expected):
            wrongType(
                "\(key.excerpt) contains \(found.rawValue) instead of \(expected.rawValue); a device skips it",
                Self.fix(key, found, expected))
        case .flagNotBoolean(let key, let found):
            wrongType(
                "\(key.excerpt) is \(found.rawValue), not a boolean; a device ignores it",
                "Write true or false without quotes")
        case .excludeNotBoolean(let found, let meantTrue, let pattern, let path):
            wrongType(
                "\"exclude\" is \(found.rawValue), not a boolean; a device ignores it, so URLs that match "
                    + "\(pattern?.excerpt ?? "the component") open the app",
                path.map {
                    (pattern == nil ? "Write" : "Remove it, and put before the component:")
                        + " {\"/\":\(JSONText.quote($0)),\"exclude\":true}"
                }
                    ?? (meantTrue ? "Write true" : "Write false or remove it")
                    + (found == .string ? ", without quotes" : ""))
        case .noDetails:
            row(
                "links-without-details", "applinks has an array of details.", "Without details, no URL opens an app.",
                .applinks, #"{"applinks":{}}"#, #"{"applinks":{"details":[\#(Self.detail(Self.rules))]}}"#,
                .opens(Self.buy), "applinks has no details, so no URL opens an app",
                "Add \"details\" with an object for each group of apps, or remove applinks")
        case .detailsDictionary:
            row(
                "links-details-dictionary", "details is an array.",
                "The dictionary with one key for each app is an older form. Devices still accept it.", .appSearch,
                #"{"details":{"\#(Self.app)":{"paths":["/buy/*"]}}}"#,
                #"{"details":[\#(Self.detail(#","paths":["/buy/*"]"#))]}"#,
                .opens(Self.buy), "\"details\" is a dictionary, the older form with one key for each app",
                "None required. In the current form, \"details\" is an array of objects with \"appIDs\"", .note)
        case .legacyApps(let count):
            .init(
                "links-apps-not-empty", "If applinks.apps is present, it is an empty array.",
                because: "iOS 12 and earlier require an empty array. Current devices ignore this key.",
                SeverityByProfile(device: .note, documented: .warning, ios9: .warning), .appSearch,
                example: #"{"applinks":{"apps":["\#(Self.app)"],"details":[\#(Self.detail(Self.rules))]}}"#,
                fixed: #"{"applinks":{"apps":[],"details":[\#(Self.detail(Self.rules))]}}"#, intent: .opens(Self.buy),
                problem: "\"apps\" of applinks has \(count) entr\(count == 1 ? "y" : "ies"), "
                    + "but iOS 12 and earlier require it to be empty",
                fix: "Make \"apps\" an empty array, and list the apps in \"details\"")
        case .noApps:
            row(
                "links-detail-without-apps", "Each detail lists its apps in appIDs or appID.",
                "The device skips a detail without apps.", .applinks, #"{"components":[{"/":"/buy/*"}]}"#,
                Self.detail(Self.rules), .opens(Self.buy), "the detail lists no app",
                "List the apps in \"appIDs\", or remove the detail")
        case .appIDBesideAppIDs:
            row(
                "links-app-id-ignored", "A detail has appIDs or appID, not both.",
                "appIDs takes precedence, even when it is empty.", .observed,
                #"{"appID":"\#(Self.otherApp)","appIDs":["\#(Self.app)"]\#(Self.rules)}"#,
                #"{"appIDs":["\#(Self.app)","\#(Self.otherApp)"]\#(Self.rules)}"#, .opens(Self.buy),
                "the detail has \"appID\" and \"appIDs\"; a device uses only \"appIDs\"",
                "List all apps in \"appIDs\", and remove \"appID\"")
        case .bothGenerations(let lost):
            row(
                "links-both-generations", "The components and the paths of a detail match the same URLs.",
                "In iOS 13 and later, components takes precedence. paths is for iOS 12 and earlier.", .applinks,
                Self.detail(#"\#(Self.rules),"paths":["/buy/*"]"#), Self.detail(Self.rules), .opens(Self.buy),
                "the detail has \"components\" and \"paths\"; iOS 12 and earlier use \"paths\", "
                    + "and later systems use \"components\""
                    + (lost.map {
                        ", which \($0.isExcluded ? "exclude URLs" : "do not match every URL") of \($0.path.excerpt)"
                    } ?? ""),
                lost?.fix ?? "Keep \"paths\" only if you support iOS 12 and earlier", lost == nil ? .note : .warning)
        case .noPatterns: noRules("the detail has neither \"components\" nor \"paths\", so it matches no URL")
        case .emptyPatterns(let key): noRules("\(key.excerpt) is empty, so the detail matches no URL")
        case .misspeltKey(let key, let meant):
            row(
                "links-key-misspelt", "Keys are spelled, and placed, as in Apple's documentation.",
                "The device ignores other keys.", .applinks, #"{"/":"/admin/*","exlude":true},{"/":"/*"}"#,
                #"{"/":"/admin/*","exclude":true},{"/":"/*"}"#, .excludes(Self.admin),
                "unknown key \(key.excerpt) here; a device ignores it",
                meant != key
                    ? "Rename it to \(meant.excerpt)"
                    : KnownKeys.detail.contains(key)
                        ? "Move it into an object in \"details\"" : "Move it into a component, or into \"defaults\"")
        case .unknownKey(let key):
            row(
                "links-key-unknown", "A component has only documented keys.", "The device ignores other keys.",
                .observed, #"{"/":"/buy/*","owner":"me"}"#, #"{"/":"/buy/*"}"#, .opens(Self.buy),
                "unknown key \(key.excerpt); a device ignores it",
                key == "substitutionVariables" ? "Move it into \"applinks\", beside \"details\"" : "Remove the key",
                .note)
        case .repeated(let earlier, let likeness, let isLegacy):
            unreachable(
                "the \(isLegacy ? "path" : "component") can never take effect: the rule at \(earlier) "
                    + likeness.reason, likeness.fix)
        case .afterCatchAll(let location, let count, let hasSameResult, let isLegacy):
            unreachable(
                "this \(isLegacy ? "path" : "component")\(count == 1 ? "" : " and the \(count - 1) after it") "
                    + "can never take effect: the rule at \(location) matches every URL",
                hasSameResult
                    ? "Remove \(count == 1 ? "it" : "them"); the outcome for every URL stays the same"
                    : "Put narrower rules first, and the \(isLegacy ? "path" : "component") that matches every URL last"
            )
        case .detailAfterCatchAll(let location, let app):
            unreachable(
                "the detail can never take effect\(app.map { " for \($0.bare)" } ?? ""): "
                    + "\(app == nil ? "for all its apps, " : "")a rule at or before \(location) matches every URL",
                app == nil ? "Put the detail first, or remove it" : "Put the detail first, or change that rule")
        case .exclusionTooLate(let earlier, let app, let more):
            unreachable(
                "the exclusion can never take effect for \(app.bare)\(more == 0 ? "" : " and \(more) more of its apps"): "
                    + "the rule at \(earlier) opens all its URLs first",
                "Put the same exclusion before that rule. If an app should open these URLs, move it to a copy of this "
                    + "detail without the exclusion")
        case .onlyExclusions:
            .init(
                "links-only-exclusions", "At least one component or path can open the app.",
                because: "A rule with exclude or NOT only blocks URLs, so no URL opens the app.", .all(.denial),
                .applinks, example: #"{"appID":"\#(Self.app)","paths":["NOT /admin/*"]}"#,
                fixed: #"{"appID":"\#(Self.app)","paths":["NOT /admin/*","*"]}"#, intent: .opens(Self.buy),
                problem: "All rules of applinks exclude URLs, so no URL opens an app",
                fix: #"Add a rule that matches after the exclusions: the component {"/":"*","exclude":false}, or the "#
                    + #"path "*" if "defaults" does not set "exclude""#)
        case .matchesAbsentItem(let item, let part, let isEverything, let excludes):
            row(
                "links-matches-absent-item", "A pattern that requires a query item or a fragment is ?*, not *.",
                "An absent item counts as the empty string, which * matches and ?* does not.", .observed,
                #"{"?":{"app":"*"},"exclude":true},{"/":"/buy/*"}"#,
                #"{"?":{"app":"?*"},"exclude":true},{"/":"/buy/*"}"#, .opens(Self.buy),
                "the pattern \"*\" also matches when the "
                    + (item.map { "query item \($0.excerpt)" } ?? (part == .query ? "query" : "fragment"))
                    + " is absent, so this rule \(excludes ? "excludes" : "matches") "
                    + (isEverything ? "every URL" : "URLs without it"),
                "To require it, write \"?*\", which matches at least one character; otherwise, remove the pattern, and put "
                    + "narrower rules before this rule")
        case .patternNotString(let key, let found):
            row(
                "links-pattern-not-a-string", "A pattern is a string.",
                "The device ignores other values, so more URLs match.", .observed, ##"{"/":"/a","#":7}"##,
                ##"{"/":"/a","#":"7"}"##, .excludes("https://example.com/a"),
                key == "paths"
                    ? "an element of \"paths\" is \(found.rawValue), not a string, so a device ignores it"
                    : "the pattern \(key.excerpt) is \(found.rawValue), not a string, so it matches everything",
                Self.patternFix(key, found))
        case .queryVoided(let item, let found):
            row(
                "links-query-void", "Each value of a query dictionary is a string.",
                "The device ignores a dictionary with any other value, so every query matches.", .observed,
                #"{"/":"/a","?":{"id":7}}"#, #"{"/":"/a","?":{"id":"7"}}"#, .excludes("https://example.com/a?id=8"),
                "the query item \(item.excerpt) is \(found.rawValue), not a string, so a device ignores the whole "
                    + "dictionary and every query matches", "Put the pattern in straight double quotes")
        case .malformedNot(let text):
            misusedNot(
                "the path \(text.excerpt) does not begin with \"NOT\", one space and a path, so it excludes nothing",
                "Write it as \(Self.corrected(text).excerpt)")
        case .notInComponent(let text):
            misusedNot(
                "the pattern \(text.excerpt) begins with \"\(text.hasPrefix("!") ? "!" : "NOT ")\", "
                    + "which excludes nothing in a component",
                "Remove it, and add \"exclude\": true to the component")
        case .hostInPath(let text, let path, let folder):
            row(
                "links-whole-url", "A path pattern contains only a path.",
                "The device compares only the path, so a pattern with a scheme or host never matches.", .applinks,
                #"{"/":"https://example.com/buy/*"}"#, #"{"/":"/buy/*"}"#, .opens(Self.buy),
                "the path pattern \(text.excerpt) contains "
                    + (folder.map { "\($0.excerpt), which looks like a host" } ?? "a scheme or a host"),
                (folder.map { "If \($0.excerpt) is a folder of the site, no change is required. Otherwise, write" }
                    ?? "Write")
                    + " only the path, \(path.excerpt); the rule applies to the host that serves the file")
        case .queryInPath(let text, let isLegacy):
            queryInPath(
                "the path pattern \(text.excerpt) contains a query, but \"?\" in a path matches one character",
                Self.separate("query", "?", isLegacy))
        case .fragmentInPath(let text, let isLegacy):
            queryInPath(
                "the path pattern \(text.excerpt) contains \"#\", which no path contains",
                Self.separate("fragment", "#", isLegacy))
        case .leadingDelimiter(let text, let key, let meant):
            row(
                "links-leading-delimiter", "The pattern of a query or fragment begins after the ? or #.",
                "A device compares the query without its ?, and the fragment without its #.", .applinks,
                ##"{"/":"/buy/*","#":"#top"}"##, ##"{"/":"/buy/*","#":"top"}"##, .opens(Self.buy + "#top"),
                "the pattern \(text.excerpt) begins with \(key.excerpt), but a device compares the "
                    + (key == "?" ? "query without it; in a pattern, ? matches one character" : "fragment without it"),
                "Write \(key.excerpt):\(meant.excerpt)")
        case .surroundingSpace(let text, let trimmed):
            row(
                "links-surrounding-space", "A pattern has no leading or trailing space.",
                "The space is part of the pattern. In a URL, every space is percent-encoded.", .observed,
                #"{"appIDs":["\#(Self.app)"],"paths":[" /buy/* "]}"#, Self.detail(#","paths":["/buy/*"]"#),
                .opens(Self.buy),
                "the pattern \(text.excerpt) begins or ends with a space, which is part of the pattern",
                "Remove the spaces: write \(trimmed.excerpt)")
        case .foreignSyntax(let text, let construct, let patterns):
            row(
                "links-foreign-syntax", "A pattern consists of text, *, ? and substitution variables.",
                "The pattern language has no parameters and no regular expressions. A device compares them as text.",
                .applinks, #"{"/":"/buy/{id}"}"#, #"{"/":"/buy/*"}"#, .opens(Self.buy),
                construct == ","
                    ? "the pattern \(text.excerpt) contains several paths, but a device compares it as one path"
                    : "the pattern \(text.excerpt) contains \(construct.excerpt), but patterns have no parameters and no "
                        + "regular expressions",
                patterns.count == 1
                    ? "Write \(patterns[0].excerpt)"
                    : "Write a rule for each of \(patterns.map(\.excerpt).joined(separator: ", "))")
        case .noLeadingSlash(let text):
            row(
                "links-no-leading-slash", "A path pattern begins with a slash.", "The device adds a missing slash.",
                .observed, #"{"/":"buy/*"}"#, #"{"/":"/buy/*"}"#, .opens(Self.buy),
                "the path pattern \(text.excerpt) has no slash at its start; a device adds it",
                "None required. For clarity, write \("/\(text)".excerpt)", .note)
        case .neverAsWritten(let text, let scalar, let isLegacy):
            neverMatches(
                "the pattern \(text.excerpt) contains \(scalar == " " ? "a space" : scalar.shown), "
                    + "which is percent-encoded in every URL, so the pattern never matches",
                (scalar == " " ? "Write the space as %20, or remove it" : "Write the character percent-encoded")
                    + (isLegacy ? "" : ", or add \"percentEncoded\": false to compare with the decoded URL"))
        case .escapeWhenDecoded(let text, let isLegacy):
            neverMatches(
                "the pattern \(text.excerpt) contains a percent escape, but is compared with the decoded URL",
                "Write the character itself"
                    + (isLegacy ? "" : ", or set \"percentEncoded\": true to compare with the URL as it is written"))
        case .unknownVariable(let name, let location):
            row(
                "links-unknown-variable",
                "A variable is built in or defined in substitutionVariables, with the same letter case.",
                "The device does not replace an unknown variable, so the pattern matches no URL.", .applinks,
                #"{"/":"/$(food)/*"}"#, Self.withVariable(#"["soup"]"#), .opens("https://example.com/soup/1"),
                "the substitution variable \(name.excerpt) is "
                    + (location.map { "defined in a detail at \($0), where a device ignores it" }
                        ?? "not defined, so a device treats it as literal text"),
                location == nil
                    ? "Define it in \"substitutionVariables\", a member of \"applinks\", or correct its name, which is "
                        + "case-sensitive"
                    : "Move \"substitutionVariables\" out of the detail into \"applinks\", beside \"details\"")
        case .builtInName(let name):
            variable(
                name, "has the name of a built-in variable, which a device uses instead", "Rename the custom variable")
        case .variableNotStrings(let name, let found):
            variable(
                name, "contains \(found.rawValue), but a device accepts only an array of strings",
                "Write an array of strings")
        case .emptyVariable(let name):
            variable(name, "has no value, so no pattern with it matches", "Add a value, or remove the variable")
        case .variableInVariable(let name, let value):
            variable(
                name, "contains a variable, which a device treats as literal text",
                "Write out the values of the inner variable", "the value \(value.excerpt) of ")
        case .unusedVariable(let name):
            variable(
                name, "", "Remove the variable, or correct its name in the pattern that should use it",
                "no pattern uses ")
        }
    }

    // MARK: Rows

    private static let rules = #","components":[{"/":"/buy/*"}]"#
    private static let buy = "https://example.com/buy/42"
    private static let admin = "https://example.com/admin/42"

    private static func withVariable(_ value: String) -> String {
        #"{"substitutionVariables":{"food":\#(value)},"details":[\#(detail(#","components":[{"/":"/$(food)/*"}]"#))]}"#
    }

    private func row(
        _ code: String, _ rule: String, _ reason: String, _ source: Source, _ example: String, _ fixed: String,
        _ intent: Diagnostic.Intent, _ problem: String, _ fix: String, _ effect: Effect = .warning
    ) -> CatalogEntry {
        .init(
            code, rule, because: reason, .all(effect), source, example: example, fixed: fixed, intent: intent,
            problem: problem, fix: fix)
    }

    private func wrongType(_ problem: String, _ fix: String) -> CatalogEntry {
        row(
            "links-value-of-wrong-kind",
            "Each value in applinks has its documented type. For example, appIDs is an array of strings, and "
                + "exclude is true or false.",
            "The device ignores other values.", .observed, #"{"/":"/admin/*","exclude":"true"},{"/":"/*"}"#,
            #"{"/":"/admin/*","exclude":true},{"/":"/*"}"#, .excludes(Self.admin), problem, fix)
    }

    private func noRules(_ problem: String) -> CatalogEntry {
        row(
            "links-detail-without-rules", "A detail has components or paths.",
            "Without them, the detail matches no URL.", .applinks, Self.detail(""), Self.detail(Self.rules),
            .opens(Self.buy), problem, "Add a component, such as {\"/\":\"/buy/*\"}, or remove the detail")
    }

    private func unreachable(_ problem: String, _ fix: String) -> CatalogEntry {
        row(
            "links-rule-unreachable", "Each component can match a URL.",
            "The first matching component determines the result. The device does not try later components.",
            .applinks, #"{"/":"/*"},{"/":"/admin/*","exclude":true}"#, #"{"/":"/admin/*","exclude":true},{"/":"/*"}"#,
            .excludes(Self.admin), problem, fix)
    }

    private func misusedNot(_ problem: String, _ fix: String) -> CatalogEntry {
        row(
            "links-not-misused", "NOT is at the start of a legacy path, followed by one space.",
            "Elsewhere, or without the space, the word is part of the pattern.", .appSearch,
            #"{"appID":"\#(Self.app)","paths":["NOT/admin/*","*"]}"#,
            #"{"appID":"\#(Self.app)","paths":["NOT /admin/*","*"]}"#, .excludes(Self.admin), problem, fix)
    }

    private func queryInPath(_ problem: String, _ fix: String) -> CatalogEntry {
        row(
            "links-query-in-path", "The query and the fragment have their own patterns: \"?\" and \"#\".",
            "In a path, ? matches one character. # matches itself, and no path contains it.", .applinks,
            #"{"/":"/buy?id=*"}"#, #"{"/":"/buy","?":{"id":"?*"}}"#, .opens("https://example.com/buy?id=42"), problem,
            fix)
    }

    private func neverMatches(_ problem: String, _ fix: String) -> CatalogEntry {
        row(
            "links-never-matches", "A pattern is percent-encoded like the URL, unless percentEncoded is false.",
            "A character that the compared URL cannot contain never matches.", .observed, #"{"/":"/é"}"#,
            #"{"/":"/%C3%A9"}"#, .opens("https://example.com/é"), problem, fix)
    }

    private func variable(_ name: String, _ problem: String, _ fix: String, _ lead: String = "") -> CatalogEntry {
        row(
            "links-variable", "The value of a custom variable is an array of strings without variables.",
            "The device does not replace variables inside values.", .applinks, Self.withVariable(#""soup""#),
            Self.withVariable(#"["soup"]"#), .opens("https://example.com/soup/1"),
            "\(lead)the substitution variable \(name.excerpt)\(problem.isEmpty ? "" : " ")\(problem)", fix)
    }

    /// Returns the fix for a path that contains another part of a URL.
    private static func separate(_ part: String, _ key: String, _ isLegacy: Bool) -> String {
        isLegacy
            ? "Replace \"paths\" with \"components\": write each path as {\"/\": PATH}, a path after NOT also with "
                + "\"exclude\": true, and this \(part) in \"\(key)\" beside its path"
            : "Move the \(part) to the \"\(key)\" key of a component, and keep only the path in \"/\""
    }

    /// Returns the fix for a pattern that is not a string.
    private static func patternFix(_ key: String, _ found: JSONValue.Kind) -> String {
        switch (key, found) {
        case (_, .number), (_, .boolean): "Put the pattern in straight double quotes"
        case ("paths", .object): "Write its path as a string; a query or a fragment requires \"components\""
        case ("paths", .array): "Remove the inner brackets"
        case ("paths", _): "Remove it"
        case ("?", .array): "Write a dictionary, such as {\"id\":\"?*\"}"
        case (_, .array): "Write one component for each pattern"
        case _: "Write a string, such as \(key == "/" ? "\"/buy/*\"" : "\"?*\""), or remove the key"
        }
    }

    /// Returns the fix for a value of the wrong kind.
    private static func fix(_ key: String, _ found: JSONValue.Kind, _ expected: JSONValue.Kind) -> String {
        switch (key, found) {
        case ("appID", .array): "Rename the key to \"appIDs\""
        case ("components", .string) where expected == .array: "Write an array of objects, such as [{\"/\":\"/buy/*\"}]"
        case ("paths", .object): "Rename the key to \"components\", and put the object in an array"
        case (_, _) where expected == .array && found != .null: "Put it in an array, or remove it"
        case ("details", .array), ("components", .array): "Remove the inner brackets"
        case ("components", .string): "Write an object, such as {\"/\":\"/buy/*\"}; only \"paths\" contains strings"
        case _: "Replace it with \(expected.rawValue), or remove it"
        }
    }

    /// Returns the path after `NOT` and one space.
    private static func corrected(_ text: String) -> String {
        let path = text.unicodeScalars.dropFirst(text.hasPrefix("!") ? 1 : 3).drop(while: \.properties.isWhitespace)
        return "NOT \(path.isEmpty ? "/path" : String(path))"
    }
}
