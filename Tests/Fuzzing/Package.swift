// swift-tools-version: 6.2

import PackageDescription

/// The targets that `scripts/fuzz` builds and runs, by name: one line each, which the script reads too.
let fuzzed: [String: [Target.Dependency]] = [
    "FuzzJSON": ["AssociatedDomains"],
    "FuzzCMS": ["Certificates"],
    "FuzzEntitlements": ["AssociatedDomains"],
    "FuzzLinks": ["AssociatedDomains"],
]

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")

/// A package of its own: the rooms, linked here from `Sources`, have to be compiled so that the fuzzer sees which way
/// an input takes through them.
let package = Package(
    name: "Fuzzing",
    platforms: [.macOS(.v15)],
    dependencies: [.package(url: "https://github.com/apple/swift-http-types", from: "1.8.0")],
    targets: [
        .systemLibrary(
            name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        .systemLibrary(name: "CLinux"),
        .target(name: "Platform", dependencies: ["CLinux"], swiftSettings: strict),
        .target(name: "HTTP", dependencies: [httpTypes], swiftSettings: strict),
        .target(name: "Certificates", dependencies: ["COpenSSL", "Platform"], swiftSettings: strict),
        .target(name: "TLS", dependencies: ["COpenSSL", "Platform", "Certificates"], swiftSettings: strict),
        .target(
            name: "AssociatedDomains", dependencies: ["CZlib", "Platform", "HTTP", "Certificates", "TLS"],
            swiftSettings: strict),
    ]
        + fuzzed.map { name, rooms in
            .executableTarget(name: name, dependencies: rooms, swiftSettings: strict)
        }
)
