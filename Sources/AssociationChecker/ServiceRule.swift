/// The services that the file has.
enum ServiceRule: String, RuleGroup {
    case notAnObject = "file-not-an-object"
    case noService = "service-none"
    case missing = "service-missing"
    case misspelt = "service-misspelt"
    case unknown = "service-unknown"
    case wrongKind = "service-not-an-object"
    case keyMisspelt = "service-key-misspelt"
    case keyUnknown = "service-key-unknown"
    case noApps = "apps-missing"
    case appsWrongKind = "apps-not-an-array"
    case appsEmpty = "apps-empty"

    package var entry: Rule.Entry {
        switch self {
        case .notAnObject:
            .init(
                "The file holds a JSON object.", because: "The services are its members; nothing else has any.",
                .all(.denial), .supporting)
        case .noService:
            .init(
                "The file has at least one service: webcredentials, applinks, appclips, activitycontinuation.",
                because: "A file without one associates nothing.", .all(.denial), .supporting)
        case .missing:
            .init(
                "The file has the service that is asked for.",
                because: "An app is associated for each service by itself.", .all(.denial), .supporting)
        case .misspelt:
            .init(
                "The services are spelt as Apple spells them, in lower case.",
                because: "A device passes over a key that it does not know, without a word.", .all(.warning),
                .observedFiles)
        case .unknown:
            .init(
                "The members of the file are services.",
                because: "A device passes over others; they only make the file larger.", .all(.note), .observed)
        case .wrongKind:
            .init(
                "A service is an object.", because: "A device passes over a service that is anything else.",
                .all(.denial), .observed)
        case .keyMisspelt:
            .init(
                "The key of a service's apps is spelt as Apple spells it: apps.",
                because: "A device passes over another key, and what it holds associates nothing.", .all(.warning),
                .supporting)
        case .keyUnknown:
            .init(
                "A service has the key apps and no other; applinks has keys of its own.",
                because: "A device passes over others; they only make the file larger.", .all(.note), .observed)
        case .noApps:
            .init(
                "A service has the key apps; applinks has details.",
                because: "Without it the service names no app.", .all(.warning), .supporting)
        case .appsWrongKind:
            .init(
                "The value of apps is an array of strings.",
                because: "A device takes nothing else, also not a single string.", .all(.denial), .supporting)
        case .appsEmpty:
            .init(
                "A service names at least one app.", because: "An empty list associates nothing.", .all(.warning),
                .supporting)
        }
    }
}
