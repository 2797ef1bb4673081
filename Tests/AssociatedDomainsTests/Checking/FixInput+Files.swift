import AssociatedDomains

@testable import AssociationChecker

/// The inputs for rows about files, services, apps, entitlements and Android's file.
extension FixInput {
    static let files: [String: FixInput] = {
        let good = credentials(demoApp)
        func bytes(_ before: [UInt8]) -> FixInput { .bytes(before, Array(good.utf8)) }
        func text(_ before: String) -> FixInput { bytes(Array(before.utf8)) }
        let utf16 = good.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let rest = good.dropFirst()
        return [
            "json-byte-order-mark": text("\u{FEFF}" + good), "json-encoding": bytes(utf16), "json-empty": text(""),
            "json-invalid-utf8": bytes(Array("{\"caf".utf8) + [0xE9, 0x22] + Array(": 1, \(rest)".utf8)),
            "json-too-deep": .bytes(
                Array("{\"x\":\(String(repeating: "[", count: 600))\(String(repeating: "]", count: 600)),\(rest)".utf8),
                Array("{\"x\":[],\(rest)".utf8)),
            "json-invisible-character": text("{\u{A0}" + rest),
            "json-control-character": .bytes(
                Array("\(good.dropLast()),\"a\tb\":1}".utf8), Array("\(good.dropLast()),\"a\\tb\":1}".utf8)),
        ]
    }()
    static let entitlements: [String: FixInput] = [:]
    static let assetLinks: [String: FixInput] = [:]
}
