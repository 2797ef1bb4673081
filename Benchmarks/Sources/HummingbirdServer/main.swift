import Foundation
import Hummingbird
import HummingbirdTLS
import Logging
import NIOCore
import NIOSSL

/// Returns a response that is built once. The benchmark then measures only the framework's request handling.
func answer(file: String, type: String) throws -> Response {
    let content = ByteBuffer(bytes: try Data(contentsOf: URL(fileURLWithPath: file)))
    return Response(status: .ok, headers: [.contentType: type], body: .init(byteBuffer: content))
}

func tlsConfiguration(_ arguments: Arguments) throws -> TLSConfiguration {
    let chain = try NIOSSLCertificate.fromPEMFile(arguments.text("certificate"))
    let key = try NIOSSLPrivateKey(file: arguments.text("key"), format: .pem)
    var configuration = TLSConfiguration.makeServerConfiguration(
        certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
    configuration.minimumTLSVersion = .tlsv12
    configuration.applicationProtocols = ["http/1.1"]
    return configuration
}

let arguments = Arguments(CommandLine.arguments.dropFirst())
let association = try answer(file: arguments.text("association"), type: "application/json")
let page = try answer(file: arguments.text("page"), type: "text/html; charset=utf-8")
let router = Router()
router.get(".well-known/apple-app-site-association") { _, _ in association }
router.get("/") { _, _ in page }

var logger = Logger(label: "hummingbird-server")
logger.logLevel = .error
let host = try arguments.text("host")
// The same queue length as for nginx's reuseport listeners, so that the kernel does not drop a burst of connections.
let backlog = 1_024
let secure = try Application(
    router: router,
    server: .tls(.http1(), tlsConfiguration: tlsConfiguration(arguments)),
    configuration: .init(address: .hostname(host, port: arguments.port("port")), backlog: backlog),
    logger: logger)
let plain = try Application(
    router: router,
    configuration: .init(address: .hostname(host, port: arguments.port("plain-port")), backlog: backlog),
    logger: logger)

try await withThrowingTaskGroup(of: Void.self) { group in
    group.addTask { try await secure.runService() }
    group.addTask { try await plain.runService() }
    try await group.waitForAll()
}
