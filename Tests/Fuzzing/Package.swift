// swift-tools-version: 6.2

import PackageDescription

/// The targets that `scripts/fuzz` builds and runs, by name: one line each, which the script reads too.
let fuzzed: [String: [Target.Dependency]] = [
    "FuzzCallJSON": ["UltraMotivator", "SourceJSON", "Server", "HTTP", "Platform"],
    "FuzzChunks": ["HTTP"],
    "FuzzCMS": ["Certificates"],
    "FuzzCookies": ["UltraMotivator", "Accounts", "HTTP"],
    "FuzzEntitlements": ["AssociatedDomains", "AssociationChecker", "SourceJSON"],
    "FuzzFields": ["HTTP", "Platform"],
    "FuzzForms": ["UltraMotivator", "Server", "HTTP"],
    "FuzzJSON": ["SourceJSON", "Platform"],
    "FuzzLinks": ["HTTPSClient", "SourceJSON", "AssociatedDomains", "UniversalLinks", "AssociationChecker"],
    "FuzzNames": ["Accounts"],
    "FuzzPHC": ["Accounts"],
    "FuzzProxy": ["Server", "Platform"],
    "FuzzRequests": ["HTTP"],
    "FuzzResponses": ["HTTP"],
    "FuzzTLS": ["TLS", "Certificates", "COpenSSL", "Platform"],
]

/// Every target of this package.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// The modules whose internal types are tested, by `@testable import`: nothing is public for the fuzzer alone.
let tested: [SwiftSetting] = strict + [.unsafeFlags(["-enable-testing"])]

let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let log = Target.Dependency.product(name: "Logging", package: "swift-log")

/// A separate package: the modules, linked here from `Sources`, must be compiled with the fuzzer's instrumentation.
///
/// Of `Server` and `UltraMotivator` only the files that the targets need are linked, of `Accounts` all but the store.
/// SQLite, templates and sockets would take most of the build time.
let package = Package(
    name: "Fuzzing",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    ],
    targets: [
        .systemLibrary(
            name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        .systemLibrary(name: "CLinux"),
        .target(name: "Platform", dependencies: ["CLinux", log], swiftSettings: strict),
        .target(name: "HTTP", dependencies: [httpTypes], swiftSettings: strict),
        .target(name: "Certificates", dependencies: ["COpenSSL", "Platform"], swiftSettings: strict),
        .target(name: "TLS", dependencies: ["COpenSSL", "Platform", "Certificates"], swiftSettings: tested),
        .target(
            name: "HTTPSClient", dependencies: ["CZlib", "Platform", "HTTP", "Certificates", "TLS"],
            swiftSettings: strict),
        .target(name: "SourceJSON", dependencies: ["Platform"], swiftSettings: strict),
        .target(
            name: "AssociatedDomains", dependencies: ["Platform", "Certificates", "HTTPSClient", "SourceJSON"],
            swiftSettings: strict),
        .target(
            name: "UniversalLinks", dependencies: ["Platform", "HTTPSClient", "SourceJSON", "AssociatedDomains"],
            swiftSettings: strict),
        .target(
            name: "AssociationChecker",
            dependencies: [
                "Platform", "HTTP", "Certificates", "TLS", "HTTPSClient", "SourceJSON", "AssociatedDomains",
                "UniversalLinks",
            ],
            swiftSettings: strict),
        .target(name: "Server", dependencies: ["Platform", "HTTP"], swiftSettings: tested),
        .target(
            name: "Accounts", dependencies: ["COpenSSL", "Platform", "Certificates", log],
            exclude: [
                "SQLiteSchema.swift", "SQLiteStore.swift", "SQLiteStore+Accounts.swift", "SQLiteStore+Opening.swift",
                "SQLiteStore+Sessions.swift", "SQLiteStore+Throttle.swift", "SQLiteStoreError.swift",
            ],
            resources: [.embedInCode("Embedded")], swiftSettings: tested),
        .target(
            name: "UltraMotivator",
            dependencies: ["Platform", "HTTP", "Server", "SourceJSON", "Accounts", httpTypes],
            swiftSettings: tested),
        .target(name: "FuzzSupport", swiftSettings: strict),
    ]
        + fuzzed.map { name, modules in
            .executableTarget(name: name, dependencies: modules + ["FuzzSupport"], swiftSettings: strict)
        }
)
