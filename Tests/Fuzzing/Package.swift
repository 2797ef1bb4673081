// swift-tools-version: 6.2

import PackageDescription

/// The targets that `scripts/fuzz` builds and runs, by name: one line each, which the script reads too.
let fuzzed: [String: [Target.Dependency]] = [
    "FuzzJSON": ["AssociatedDomains"],
    "FuzzCMS": ["Certificates"],
]

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// A package of its own: the rooms, linked here from `Sources`, have to be compiled so that the fuzzer sees which way
/// an input takes through them.
let package = Package(
    name: "Fuzzing",
    platforms: [.macOS(.v15)],
    targets: [
        .systemLibrary(
            name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
        .target(name: "Platform", swiftSettings: strict),
        .target(name: "Certificates", dependencies: ["COpenSSL", "Platform"], swiftSettings: strict),
        .target(name: "AssociatedDomains", dependencies: ["Platform", "Certificates"], swiftSettings: strict),
    ]
        + fuzzed.map { name, rooms in
            .executableTarget(name: name, dependencies: rooms, swiftSettings: strict)
        }
)
