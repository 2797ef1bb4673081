/// The form of an error's content: what whoever asked can read.
public enum ErrorFormat: Sendable {
    case html
    case json
    case text

    /// Chooses the form (RFC 9110 §12.5.1).
    ///
    /// An API answers in JSON whatever the Accept field says: its clients decode errors and many send no Accept at all.
    /// Elsewhere HTML goes to who names `text/html`, as browsers do, JSON to who names `application/json` or wants it
    /// more, and text to everybody else, since `*/*` is what command-line tools send.
    /// - Parameters:
    ///   - accepted: the request's Accept field.
    ///   - isAPI: whether the path belongs to the API.
    public init(_ accepted: AcceptedMediaTypes, isAPI: Bool) {
        if isAPI {
            self = .json
            return
        }
        let html = accepted.namedWeight(of: "text", "html")
        let json = accepted.namedWeight(of: "application", "json")
        if html == 0, json == 0 {
            self = .text
        } else {
            self = html >= json ? .html : .json
        }
    }
}
