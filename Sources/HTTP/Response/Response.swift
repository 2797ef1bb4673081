public import HTTPTypes

/// An answer that a handler makes: status, fields and content.
public struct Response: Sendable {
    /// The status.
    public var status: HTTPResponse.Status
    /// The fields, without those that the server itself writes: Date, Server, Content-Length, Connection.
    public var fields: HTTPFields
    /// The content; its length is what Content-Length says, also in the answer to HEAD.
    public var content: [UInt8]

    /// - Parameters:
    ///   - status: the status.
    ///   - fields: the fields, without Date, Server, Content-Length and Connection.
    ///   - content: the content; must be empty where the status allows none.
    public init(_ status: HTTPResponse.Status, fields: HTTPFields = [:], content: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.content = content
    }

    /// An answer with content of a type.
    ///
    /// - Parameters:
    ///   - status: the status.
    ///   - type: the value of Content-Type.
    ///   - text: the content.
    public init(_ status: HTTPResponse.Status, type: String, text: String) {
        self.init(status, fields: [.contentType: type], content: Array(text.utf8))
    }
}
