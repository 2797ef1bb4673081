/// What the host answers.
enum HTTPRule: String, RuleGroup {
    case malformed = "http-malformed"
    case redirect = "http-redirect"
    case redirectFollowed = "http-redirect-followed"
    case redirectInsecure = "http-redirect-insecure"
    case redirectLoop = "http-redirect-loop"
    case refused = "http-status-refused"
    case serverError = "http-status-server-error"
    case noContent = "http-status-without-file"
    case contentType = "http-content-type"
    case signedContentType = "http-signed-content-type"
    case contentEncoding = "http-content-encoding"
    case onlyAtRoot = "path-only-root"
    case onlyWellKnown = "path-only-well-known"
    case differ = "path-contents-differ"
    case notRead = "path-not-read"

    package var entry: Rule.Entry {
        switch self {
        case .malformed:
            .init(
                "The answer is HTTP that can be read in one way only.",
                because: "Clients differ in what they make of anything else.", .all(.denial), .messages("2"))
        case .redirect:
            .init(
                "The file is at its place, not behind a redirect.",
                because: "Apple's CDN and the documents refuse redirects; only with a mode a device follows one from "
                    + "https to https.", .all(.denial), .supporting)
        case .redirectFollowed:
            .init(
                "With a mode a device follows a redirect from https to https.",
                because: "The app in the store will have no mode, and then the redirect is refused.",
                Consequences(documented: .denial, device: .warning, legacy: .denial), .observed)
        case .redirectInsecure:
            .init(
                "No redirect leads away from https.", because: "What comes without TLS proves nothing.",
                .all(.denial), .observed)
        case .redirectLoop:
            .init(
                "Redirects come to an end.", because: "A device gives up.", .all(.denial), .http("15.4"))
        case .refused:
            .init(
                "The file comes with status 200, not with one of 300 to 499.",
                because: "The domain is denied, and not asked again before the app is installed anew.", .all(.denial),
                .sharedWebCredentials)
        case .serverError:
            .init(
                "The file comes with status 200, not with one of 500 to 599.",
                because: "By the first reference a device tries again every 3 hours, up to 8 times; the CDN stops, and "
                    + "a device asks it again after 3 to 4 hours.",
                Consequences(documented: .retry, device: .denial, legacy: .retry), .sharedWebCredentials)
        case .noContent:
            .init(
                "The file comes with status 200.",
                because: "An answer with another status of success has no file, or a part of one.", .all(.denial),
                .supporting)
        case .contentType:
            .init(
                "The file comes as application/json.",
                because: "The documents ask for it; current devices do not look at it.", .all(.note), .supporting)
        case .signedContentType:
            .init(
                "A signed file comes as application/pkcs7-mime.",
                because: "iOS 8 needs it; current devices do not look at it.",
                Consequences(documented: .warning, device: .note, legacy: .denial), .sharedWebCredentials)
        case .contentEncoding:
            .init(
                "The file comes as it is, without a content coding that was not asked for.",
                because: "A client that did not ask may not know the coding; the limit counts the uncompressed bytes.",
                .all(.warning), .http("8.4"))
        case .onlyAtRoot:
            .init(
                "The file is at /.well-known/apple-app-site-association.",
                because: "Apple's CDN, and so every device since iOS 14, looks nowhere else.",
                Consequences(documented: .warning, device: .denial, legacy: .warning), .supporting)
        case .onlyWellKnown:
            .init(
                "For iOS 8 the file is at /apple-app-site-association too.",
                because: "iOS 9.2 and before look at the root of the site only.", Consequences(legacy: .denial),
                .sharedWebCredentials)
        case .differ:
            .init(
                "Both paths say the same.",
                because: "Which one a device reads depends on its age, and so would what it believes.",
                .all(.warning), .observedFiles)
        case .notRead:
            .init(
                "The URL is one that devices ask for: /.well-known/apple-app-site-association, or the root before iOS 14.",
                because:
                    "A device makes the URL from the entry's host; a file under another name, such as one with .json "
                    + "at its end, is never asked for.", .all(.denial), .supporting)
        }
    }
}
