// swift-tools-version: 6.2

import PackageDescription

/// The targets that `scripts/fuzz` builds and runs, by name. The script also reads this list, one target per line.
let fuzzed: [String: [Target.Dependency]] = [
    "FuzzApps": ["AssociatedDomains", "SourceJSON"],
    "FuzzCallJSON": ["UltraMotivator", "SourceJSON", "MotivatorServer", "MotivatorHTTP", "MotivatorPlatform"],
    "FuzzCBOR": ["Passkeys"],
    "FuzzChunks": ["MotivatorHTTP"],
    "FuzzCMS": ["Certificates"],
    "FuzzCookies": ["UltraMotivator", "Accounts", "MotivatorHTTP"],
    "FuzzEntitlements": ["AssociatedDomains", "AssociationChecker", "SourceJSON"],
    "FuzzFields": ["MotivatorHTTP", "MotivatorPlatform"],
    "FuzzForms": ["UltraMotivator", "MotivatorServer", "MotivatorHTTP"],
    "FuzzJSON": ["SourceJSON", "MotivatorPlatform"],
    "FuzzLinks": ["HTTPSClient", "SourceJSON", "AssociatedDomains", "UniversalLinks", "AssociationChecker"],
    "FuzzNames": ["Accounts"],
    "FuzzPHC": ["Accounts", "MotivatorPlatform"],
    "FuzzProxy": ["MotivatorServer", "MotivatorPlatform"],
    "FuzzRecords": ["Accounts", "MotivatorPlatform"],
    "FuzzRequests": ["MotivatorHTTP"],
    "FuzzResponses": ["MotivatorHTTP"],
    "FuzzTLS": ["MotivatorTLS", "Certificates", "COpenSSL", "MotivatorPlatform"],
]

/// The settings of every target in this package.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

/// The settings of the modules under test. `@testable import` avoids declarations that are public only for the
/// fuzzer.
let tested: [SwiftSetting] = strict + [.unsafeFlags(["-enable-testing"])]

let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let log = Target.Dependency.product(name: "Logging", package: "swift-log")
let metrics = Target.Dependency.product(name: "CoreMetrics", package: "swift-metrics")

/// A separate package, because the modules must be compiled with the fuzzer's instrumentation. The modules are links
/// to `Sources`.
///
/// The package links only the required files of `UltraMotivator`, and all of `Accounts` except the store. SQLite and
/// templates would take most of the build time.
let package = Package(
    name: "Fuzzing",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    ],
    targets: [
        .systemLibrary(
            name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        .systemLibrary(name: "CLinux"),
        .target(
            name: "MotivatorPlatform", dependencies: ["CLinux", log], path: "Sources/Platform", swiftSettings: strict),
        .target(name: "MotivatorHTTP", dependencies: [httpTypes], path: "Sources/HTTP", swiftSettings: strict),
        .target(
            name: "Certificates", dependencies: ["COpenSSL", "MotivatorPlatform", "AssociationDiagnostics"],
            swiftSettings: strict),
        .target(
            name: "MotivatorTLS", dependencies: ["COpenSSL", "MotivatorPlatform", "Certificates"], path: "Sources/TLS",
            swiftSettings: tested),
        .target(
            name: "HTTPSClient",
            dependencies: [
                "CZlib", "MotivatorPlatform", "MotivatorHTTP", "Certificates", "MotivatorTLS", "AssociationDiagnostics",
            ],
            swiftSettings: strict),
        .target(
            name: "SourceJSON", dependencies: ["MotivatorPlatform", "AssociationDiagnostics"], swiftSettings: strict),
        .target(name: "AssociationDiagnostics", swiftSettings: strict),
        .target(
            name: "AssociatedDomains",
            dependencies: [
                "CZlib", "MotivatorPlatform", "Certificates", "SourceJSON", "AssociationDiagnostics",
            ],
            swiftSettings: strict),
        .target(
            name: "UniversalLinks",
            dependencies: [
                "MotivatorPlatform", "HTTPSClient", "SourceJSON", "AssociatedDomains", "AssociationDiagnostics",
            ],
            resources: [.embedInCode("Embedded")], swiftSettings: strict),
        .target(
            name: "AssociationChecker",
            dependencies: [
                "MotivatorPlatform", "Certificates", "HTTPSClient", "SourceJSON", "AssociatedDomains",
                "AssociationDiagnostics", "UniversalLinks",
            ],
            resources: [.embedInCode("Embedded")], swiftSettings: strict),
        .target(
            name: "MotivatorServer",
            dependencies: [
                "CLinux", "CZlib", "MotivatorPlatform", "MotivatorHTTP", "Certificates", "MotivatorTLS",
                log, httpTypes, metrics,
            ], path: "Sources/Server",
            swiftSettings: tested),
        .target(
            name: "Passkeys", dependencies: ["COpenSSL", "MotivatorPlatform", "Certificates", "SourceJSON"],
            swiftSettings: strict),
        .target(
            name: "Accounts",
            dependencies: ["COpenSSL", "MotivatorPlatform", "Certificates", "Passkeys", log, metrics],
            exclude: ["SQLite"],
            resources: [.embedInCode("Embedded")], swiftSettings: tested),
        .target(
            name: "UltraMotivator",
            dependencies: [
                "MotivatorPlatform", "MotivatorHTTP", "MotivatorServer", "SourceJSON", "Passkeys", "Accounts",
                httpTypes,
            ],
            swiftSettings: tested),
        .target(name: "FuzzSupport", swiftSettings: strict),
    ]
        + fuzzed.map { name, modules in
            .executableTarget(name: name, dependencies: modules + ["FuzzSupport"], swiftSettings: strict)
        }
)
