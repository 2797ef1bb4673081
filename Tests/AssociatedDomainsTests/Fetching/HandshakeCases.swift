import COpenSSL
import MotivatorPlatform

@testable import HTTPSClient

/// The possible behavior of a server before it receives the request.
enum HandshakeCases {
    static let all: [FetchCase] = [
        FetchCase(
            "a close behind the client's hello is told", "associated-domains.md: close in the handshake",
            { .closedInHandshake($0) }
        ) { connection in
            connection.readRaw()
            connection.endWriting()
        },
        FetchCase(
            "a close inside the server's hello is told", "associated-domains.md: close in the handshake",
            { .closedInHandshake($0) }
        ) { connection in
            connection.readRaw()
            connection.sendRaw([0x16, 3, 3, 0, 0x7A, 2, 0])
            connection.endWriting()
        },
        FetchCase("a reset is told", "hostile server: servers that reset", { .resetInHandshake($0) }) { connection in
            connection.readRaw()
            connection.reset()
        },
        FetchCase(
            "a reset inside the server's hello is told", "hostile server: servers that reset", { .resetInHandshake($0) }
        ) {
            connection in
            connection.readRaw()
            connection.sendRaw([0x16, 3, 3])
            connection.reset()
        },
        FetchCase(
            "silence ends with the deadline", "associated-domains.md: a handshake that stalls",
            { .handshakeTimedOut($0, seconds: 1) }
        ) { connection in
            connection.stall()
            connection.waitForClose()
        },
        FetchCase(
            "a hello byte by byte does not prolong the deadline", "hostile server: servers that stall",
            { .handshakeTimedOut($0, seconds: 1) }
        ) { connection in
            connection.readRaw()
            connection.sendRaw([0x16, 3, 3, 0x3F, 0xFF, 2, 0, 0x3F, 0xFB])
            connection.stall()
            connection.drip(3, raw: true)
        },
        // OpenSSL skips HelloRequest messages in a single call while more arrive (RFC 5246 §7.4.1.1).
        FetchCase(
            "endless messages to be ignored do not prolong the deadline", "RFC 5246 7.4.1.1",
            { .handshakeTimedOut($0, seconds: 1) }
        ) { connection in
            connection.readRaw()
            let requests = Array(repeatElement([0x16, 3, 3, 0, 4, 0, 0, 0, 0] as [UInt8], count: 1_000).joined())
            connection.stall()
            while !connection.isOver { connection.sendRaw(requests) }
        },
        FetchCase(
            "plain HTTP is recognized", "nginx on a plain port",
            { .notTLS($0, start: "HTTP/1.1 400 Bad Request") }
        ) { connection in
            connection.readRaw()
            connection.sendRaw(Array("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n".utf8))
            connection.endWriting()
        },
        FetchCase("a server that speaks first is recognized", "RFC 5321 4.2", { .notTLS($0, start: "220 mail") }) {
            connection in
            connection.sendRaw(Array("220 mail\r\n".utf8))
            connection.waitForClose()
        },
        FetchCase(
            "a server of TLS 1.1 is too old", "associated-domains.md: TLS 1.1 only",
            { .protocolTooOld($0, version: nil) },
            { ($0.wishes.least, $0.wishes.most) = (TLS1_1_VERSION, TLS1_1_VERSION) }
        ) { $0.handshake() },
        old(2, "TLSv1.1"), old(1, "TLSv1"), old(0, "SSLv3"),
        FetchCase(
            "an alert about the version is understood", "RFC 8446 6.2: protocol_version 70",
            { .protocolTooOld($0, version: nil) }
        ) { connection in
            connection.readRaw()
            connection.sendRaw([0x15, 3, 1, 0, 2, 2, 70])
            connection.endWriting()
        },
        FetchCase(
            "another alert is told in OpenSSL's words", "RFC 8446 6.2: handshake_failure 40",
            { .handshakeFailed($0, reason: "sslv3 alert handshake failure") }
        ) { connection in
            connection.readRaw()
            connection.sendRaw([0x15, 3, 3, 0, 2, 2, 40])
            connection.endWriting()
        },
        FetchCase(
            "a demanded client certificate fails in TLS 1.2", "RFC 5246 7.4.6",
            { .sessionBroken($0, reason: "sslv3 alert handshake failure") },
            {
                $0.wishes.demandsCertificate = true
                $0.wishes.most = TLS1_2_VERSION
            }
        ) { connection in
            connection.handshake()
            connection.endWriting()
        },
        FetchCase(
            "and breaks the session in TLS 1.3", "RFC 8446 4.4.2.4",
            { .sessionBroken($0, reason: "tlsv13 alert certificate required") },
            { $0.wishes.demandsCertificate = true }
        ) { connection in
            connection.handshake()
            connection.endWriting()
        },
    ]

    /// Creates a case for a ServerHello of an old version: no session identifier, AES-128-SHA (RFC 4346 §7.4.1.3).
    private static func old(_ minor: UInt8, _ name: String) -> FetchCase {
        FetchCase(
            "a server that chooses \(name) is too old", "associated-domains.md: TLS 1.1 only",
            { .protocolTooOld($0, version: name) }
        ) { connection in
            connection.readRaw()
            let random = [UInt8](repeating: 0x5A, count: 32)
            connection.sendRaw([0x16, 3, minor, 0, 42, 2, 0, 0, 38, 3, minor] + random + [0, 0, 0x2F, 0])
            connection.waitForClose()
        }
    }
}
