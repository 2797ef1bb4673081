package import HTTPTypes

/// A handler's response: status, fields and content.
package struct Response: Sendable {
    package var status: HTTPResponse.Status
    /// The fields. The server adds Date, Server, Content-Length and Connection.
    package var fields: HTTPFields
    /// The content. Content-Length is its length, even in a response to HEAD.
    package var content: [UInt8]

    /// - Parameters:
    ///   - fields: the fields, without Date, Server, Content-Length and Connection.
    ///   - content: the content; must be empty if the status does not allow content.
    package init(_ status: HTTPResponse.Status, fields: HTTPFields = [:], content: [UInt8] = []) {
        (self.status, self.fields, self.content) = (status, fields, content)
    }

    /// Creates a response with text content.
    package init(_ status: HTTPResponse.Status, type: String, text: String) {
        self.init(status, fields: [.contentType: type], content: Array(text.utf8))
    }
}

extension HTTPResponse.Status {
    /// Returns the status with its registered reason phrase (RFC 9110 §15), for the codes that this server uses.
    /// - Parameter code: 200 to 599.
    package static func registered(_ code: Int) -> HTTPResponse.Status {
        HTTPResponse.Status(code: code, reasonPhrase: phrase(code))
    }

    private static func phrase(_ code: Int) -> String {
        switch code {
        case 200: "OK"
        case 201: "Created"
        case 204: "No Content"
        case 206: "Partial Content"
        case 303: "See Other"
        case 304: "Not Modified"
        case 308: "Permanent Redirect"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 406: "Not Acceptable"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 412: "Precondition Failed"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 415: "Unsupported Media Type"
        case 416: "Range Not Satisfiable"
        case 417: "Expectation Failed"
        case 421: "Misdirected Request"
        case 422: "Unprocessable Content"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 503: "Service Unavailable"
        case 505: "HTTP Version Not Supported"
        case _: ""
        }
    }
}
