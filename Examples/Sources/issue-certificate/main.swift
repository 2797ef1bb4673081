import Certificates
import Foundation

let folder = FileManager.default.temporaryDirectory.appendingPathComponent("example-\(UUID())").path
defer { try? FileManager.default.removeItem(atPath: folder) }

// Create a development CA, and issue a certificate for a host.
let authority = try Authority.create(folder: folder, permitted: ["example.com"])
let identity = try authority.issue(hosts: ["www.example.com"])
let now = Int64(Date().timeIntervalSince1970)
let verifier = try ChainVerifier(trust: [authority.root], at: now)
for host in ["www.example.com", "example.com"] {
    let faults = verifier.verdict(on: [identity.certificate] + identity.chain, host: host).issues
    print(host, faults.isEmpty ? "trusted" : "not trusted")
}

// The CA cannot sign certificates for other names.
do {
    _ = try authority.issue(hosts: ["www.example.org"])
} catch {
    print(error)
}

// Sign a file the way iOS 8 required, and verify the signature.
let message = try CMS.sign(Array("{}".utf8), identity: identity)
let content = try CMS.open(message).verify(trust: [authority.root], at: now, domain: "www.example.com")
print("signed:", String(decoding: content, as: UTF8.self))
