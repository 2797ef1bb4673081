import ArgumentParser
import MotivatorPlatform

struct HealthCheck: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "healthcheck",
        abstract: "Check the health of a running server. The exit code is 0 if it is healthy, and 69 otherwise.",
        discussion: "Example: motivator healthcheck --admin 127.0.0.1:8081")

    @Option("Admin address of the running server.", value: "address:port")
    var admin = AdminAddress.standard

    @OptionGroup var file: ConfigurationArguments

    /// The timeout in seconds. A container's health check must end before the next check starts.
    private static let timeout = 5
    /// The maximum size of the response in bytes. A response consists of a head and one line.
    private static let longestResponse = 4_096

    func run() throws {
        let serve = try ConfigurationSource.ofProcess.load().command
        let address = try require(
            serve.addresses.admin.address, "--admin off does not specify a listener",
            fix: "Pass the --admin address of the running server")
        let response: String
        do throws(SystemError) { response = try Self.request(address) } catch {
            throw ExplainedFailure(
                "no response from \(address): \(error)", fix: "Start the server, or pass its --admin address",
                exitCode: .unavailable)
        }
        let line = String(response.prefix { $0 != "\r\n" && $0 != "\n" })
        try require(
            line.hasPrefix("HTTP/1.1 200 "), "the server at \(address) is unhealthy: \(line.quoted)",
            fix: "Read the server's log", exitCode: .unavailable)
    }

    /// Returns whether the admin listener of a server has an address. The server can be unhealthy.
    static func isServing(_ address: SocketAddress) -> Bool {
        (try? request(address).contains("{\"status\": ")) == true
    }

    private static func request(_ address: SocketAddress) throws(SystemError) -> String {
        let descriptor = try address.connect(seconds: timeout)
        let request = Array("GET /health HTTP/1.1\r\nHost: \(address)\r\nConnection: close\r\n\r\n".utf8)
        guard unsafe write(descriptor.number, request, request.count) == request.count else {
            throw SystemError("write")
        }
        var response: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: longestResponse)
        while response.count < longestResponse {
            let count = unsafe read(descriptor.number, &buffer, buffer.count)
            guard count >= 0 else { throw SystemError("read") }
            guard count > 0 else { break }
            response += buffer[..<count]
        }
        return String(decoding: response, as: UTF8.self)
    }
}
