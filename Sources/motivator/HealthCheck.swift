import ArgumentParser
import Platform

/// `motivator healthcheck`: asks a running server whether it can do its work.
struct HealthCheck: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "healthcheck",
        abstract: "Ask a running server whether it is well; exits with 0 or 69.",
        discussion: "Example: motivator healthcheck --admin 127.0.0.1:8081")

    @Option(help: ArgumentHelp("Where the server's admin listener is.", valueName: "address:port"))
    var admin = AdminAddress.standard

    /// Seconds; a container's check has to end before the next one.
    private static let patience = 5
    /// Bytes; the answer is a head and one line.
    private static let longestAnswer = 4_096

    func run() throws {
        guard case .at(let address) = admin else {
            throw UsageError("--admin off cannot be asked", remedy: "Give the address that the server was started with")
        }
        let answer: String
        do throws(SystemError) { answer = try ask(address) } catch {
            throw Unwell(
                problem: "nobody answers at \(address): \(error)", remedy: "Start the server, or give its --admin")
        }
        guard answer.hasPrefix("HTTP/1.1 200 ") else {
            let line = answer.prefix { $0 != "\r\n" && $0 != "\n" }
            throw Unwell(
                problem: "the server at \(address) is not well: \(String(line).quoted)", remedy: "Read its log")
        }
    }

    private func ask(_ address: SocketAddress) throws(SystemError) -> String {
        let descriptor = try address.connect(seconds: Self.patience)
        let request = Array("GET /health HTTP/1.1\r\nHost: \(address)\r\nConnection: close\r\n\r\n".utf8)
        guard unsafe write(descriptor.number, request, request.count) == request.count else {
            throw SystemError("write")
        }
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: Self.longestAnswer)
        while answer.count < Self.longestAnswer {
            let count = unsafe read(descriptor.number, &buffer, buffer.count)
            guard count >= 0 else { throw SystemError("read") }
            guard count > 0 else { break }
            answer += buffer[..<count]
        }
        return String(decoding: answer, as: UTF8.self)
    }
}

/// The server that was asked is not there, or not well.
private struct Unwell: ExplainedError {
    let problem: String
    let remedy: String
    let exitCode = Platform.ExitCode.unavailable
}
