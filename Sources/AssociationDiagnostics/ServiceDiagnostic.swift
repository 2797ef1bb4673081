/// Diagnostics about the services in the file.
package enum ServiceDiagnostic: String, DiagnosticGroup {
    case notAnObject = "file-not-an-object"
    case noService = "service-none"
    case missing = "service-missing"
    case notInVersion = "service-not-in-version"
    case misspelt = "service-misspelt"
    case unknown = "service-unknown"
    case wrongType = "service-not-an-object"
    case keyMisspelt = "service-key-misspelt"
    case keyUnknown = "service-key-unknown"
    case noApps = "apps-missing"
    case appsWrongType = "apps-not-an-array"
    case appsEmpty = "apps-empty"

    package var row: Diagnostic.Row {
        switch self {
        case .notAnObject:
            .init(
                "The file contains a JSON object.", because: "The services are the members of this object.",
                .all(.denial), .supporting, message: "The file contains {type}, not an object.",
                fix: #"Put the services in an object, such as {"webcredentials":{"apps":["PREFIX.BUNDLE-ID"]}}."#,
                example: #"["webcredentials"]"#)
        case .noService:
            .init(
                """
                The file has at least one service: webcredentials, applinks, appclips, activitycontinuation, \
                messagefilter, classificationreport or authsrv.
                """,
                because: "A file without a service associates no app.", .all(.denial), .supporting,
                message: "The file has no service{found}.",
                fix: #"Add a service, such as "webcredentials":{"apps":["PREFIX.BUNDLE-ID"]}."#, example: "{}")
        case .missing:
            .init(
                "The file has the requested service.", because: "Each service lists its own apps.",
                .all(.denial), .supporting, message: "The file does not have the service {service}{present}.",
                fix: "Add {addition}.", example: #"{"applinks":{}} for an app that shares passwords"#)
        case .notInVersion:
            .init(
                "The systems of the profile support the requested service.",
                because: "Universal links require iOS 9, and App Clips require iOS 14. Earlier systems ignore them.",
                SeverityByProfile(ios9: .note, ios8: .note), .appSearch,
                message: "The service {service} does not exist in {systems}.", fix: "", example: "applinks in iOS 8")
        case .misspelt:
            .init(
                "The names of services are spelled as in Apple's documentation, in lower case.",
                because: "The device silently ignores unknown keys.", .all(.warning), .observedFiles,
                message: "Unknown service {name}. Did you mean \"{meant}\"?", fix: "Rename the key to \"{meant}\".",
                example: #"{"appLinks":{}}"#)
        case .unknown:
            .init(
                "Each member of the file is a service that this tool knows.",
                because: "Devices ignore members that are not services. A later system may introduce a service.",
                .all(.warning), .observed, message: "This tool does not know the service {name}.",
                fix: "Remove this member, unless a device or another program reads it.", example: #"{"owner":"me"}"#)
        case .wrongType:
            .init(
                "A service is an object.", because: "The device ignores a service with another type.", .all(.denial),
                .observed, message: "{service} is {type}, not an object.", fix: "Write {form}.",
                example: #"{"webcredentials":["D3KQX62K1A.com.example.DemoApp"]}"#)
        case .keyMisspelt:
            .init(
                "A service lists its apps under the key \"apps\".",
                because: "The device ignores other keys and the apps listed under them.", .all(.warning),
                .supporting, message: "Unknown key {key} in {service}. Did you mean \"apps\"?",
                fix: "Rename the key to \"apps\".", example: #"{"webcredentials":{"Apps":[]}}"#)
        case .keyUnknown:
            .init(
                "A service other than applinks has only the key \"apps\".",
                because: "The device ignores other keys. They only make the file larger.", .all(.note), .observed,
                message: "Unknown key {key} in {service}. The device ignores the key.",
                fix: "Remove the key, unless another program reads it.",
                example: #"{"webcredentials":{"apps":[],"owner":"me"}}"#)
        case .noApps:
            .init(
                "A service has the key \"apps\".", because: "Without this key, the service lists no app.",
                .all(.warning), .supporting, message: "{service} has no key \"apps\".",
                fix: "Add \"apps\" with an array of application identifiers, or remove the service.",
                example: #"{"appclips":{}}"#)
        case .appsWrongType:
            .init(
                "The value of \"apps\" is an array of strings.", because: "The device ignores any other value.",
                .all(.denial), .supporting, message: "{service}.apps is {type}, not an array.",
                fix: #"Write an array: ["PREFIX.BUNDLE-ID"]."#,
                example: #"{"apps":"D3KQX62K1A.com.example.DemoApp"}"#)
        case .appsEmpty:
            .init(
                "A service lists at least one app.", because: "An empty array associates no app.", .all(.warning),
                .supporting, message: "{service}.apps is empty.", fix: "List an app, or remove the service.",
                example: #"{"webcredentials":{"apps":[]}}"#)
        }
    }
}
