/// The form of an error's content: what whoever asked can read.
public enum ErrorFormat: Sendable {
    /// A page, for a browser.
    case html
    /// A problem description, for a program.
    case json
    /// Plain sentences, for whoever sits at a terminal.
    case text

    /// Chooses the form (RFC 9110 §12.5.1).
    ///
    /// An API answers in JSON whatever the Accept field says: its clients decode errors and many send no Accept at all.
    /// Elsewhere HTML goes to a client that names `text/html`, as browsers do; JSON to one that names
    /// `application/json` alone or with a higher weight; and text to every other, since `*/*` is what command-line tools
    /// send.
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
