/// The format of an error response.
package enum ErrorFormat: Sendable {
    /// An HTML page, for browsers.
    case html
    /// A JSON object, for programs.
    case json
    /// Plain text, for command-line tools.
    case text

    /// Selects the format (RFC 9110 §12.5.1).
    ///
    /// An API always uses JSON, because its clients decode errors and many of them send no Accept field. On other
    /// paths, a client that names `text/html`, as browsers do, gets HTML. A client that names only `application/json`,
    /// or gives it a higher weight, gets JSON. All other clients get text, because command-line tools send `*/*`.
    package init(_ accepted: AcceptedMediaTypes, isAPI: Bool) {
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
