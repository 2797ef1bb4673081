package import HTTPTypes

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

    package init(_ status: HTTPResponse.Status, type: String, text: String) {
        self.init(status, fields: [.contentType: type], content: Array(text.utf8))
    }
}

extension HTTPResponse.Status {
    /// Returns the status with its registered reason phrase (RFC 9110 §15), for the codes that this server uses.
    /// - Parameter code: 200 to 599.
    package static func registered(_ code: Int) -> HTTPResponse.Status {
        known.first { $0.code == code } ?? HTTPResponse.Status(code: code)
    }

    private static let known: [HTTPResponse.Status] = [
        .ok, .created, .noContent, .partialContent, .seeOther, .notModified, .temporaryRedirect, .permanentRedirect,
        .badRequest, .unauthorized, .forbidden, .notFound, .methodNotAllowed, .notAcceptable, .requestTimeout,
        .conflict, .preconditionFailed, .contentTooLarge, .uriTooLong, .unsupportedMediaType, .rangeNotSatisfiable,
        .expectationFailed, .misdirectedRequest, .unprocessableContent, .tooManyRequests,
        .requestHeaderFieldsTooLarge, .internalServerError, .notImplemented, .serviceUnavailable,
        .httpVersionNotSupported,
    ]
}
