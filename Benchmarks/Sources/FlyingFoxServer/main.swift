import FlyingFox
import FlyingSocks
import Foundation

/// Serves the page over plain HTTP, because FlyingFox has no TLS. Arguments: the address, the port and the page's file.
let arguments = CommandLine.arguments
let content = try Data(contentsOf: URL(fileURLWithPath: arguments[3]))
guard let port = UInt16(arguments[2]) else { fatalError("\(arguments[2]) is not a port") }
let server = HTTPServer(address: try .inet(ip4: arguments[1], port: port), logger: .disabled)
await server.appendRoute("/") { _ in
    HTTPResponse(statusCode: .ok, headers: [.contentType: "text/html; charset=utf-8"], body: content)
}
try await server.run()
