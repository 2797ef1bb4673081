import HTTP
import Platform
import Server

extension Representation {
    /// Content that was made at the start or a reload.
    ///
    /// no-cache: whoever changes what it is made from wants to see the change; with an ETag that costs a 304.
    convenience init(_ content: [UInt8], type: String, lastModified: UnixTime) {
        self.init(
            content: content, contentType: type, entityTag: ContentTag.of(content), lastModified: lastModified,
            cacheControl: "no-cache")
    }
}
