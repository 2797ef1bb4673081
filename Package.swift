// swift-tools-version: 6.2

import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// The sources mark every unsafe expression. The tests do not, because they call the C libraries too often.
let memorySafe = strict + [.strictMemorySafety()]

let log = Target.Dependency.product(name: "Logging", package: "swift-log")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let sqlite = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let mustache = Target.Dependency.product(name: "Mustache", package: "swift-mustache")

/// A module imports only modules above it in this list.
let package = Package(
    name: "UltraMotivator",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "motivator", targets: ["motivator"]),
        .library(name: "AssociatedDomains", targets: ["AssociatedDomains", "UniversalLinks", "AssociationChecker"]),
        .library(name: "SharedWebCredentials", targets: ["SharedWebCredentials"]),
        .library(name: "Certificates", targets: ["Certificates"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
    ],
    targets: [
        .systemLibrary(
            name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        .systemLibrary(name: "CLinux"),
        .systemLibrary(name: "CBuild"),
        .target(name: "Platform", dependencies: ["CLinux", log], swiftSettings: memorySafe),
        .target(name: "HTTP", dependencies: [httpTypes], swiftSettings: memorySafe),
        .target(name: "Certificates", dependencies: ["COpenSSL", "Platform"], swiftSettings: memorySafe),
        .target(name: "TLS", dependencies: ["COpenSSL", "Platform", "Certificates"], swiftSettings: memorySafe),
        .target(
            name: "Server",
            dependencies: ["CLinux", "CZlib", "Platform", "HTTP", "Certificates", "TLS", log, httpTypes],
            swiftSettings: memorySafe),
        .target(
            name: "HTTPSClient", dependencies: ["CZlib", "Platform", "HTTP", "Certificates", "TLS"],
            swiftSettings: memorySafe),
        .target(name: "SourceJSON", dependencies: ["Platform"], swiftSettings: memorySafe),
        .target(
            name: "AssociatedDomains", dependencies: ["Platform", "Certificates", "HTTPSClient", "SourceJSON"],
            swiftSettings: memorySafe),
        .target(
            name: "UniversalLinks", dependencies: ["Platform", "HTTPSClient", "SourceJSON", "AssociatedDomains"],
            swiftSettings: memorySafe),
        .target(
            name: "AssociationChecker",
            dependencies: [
                "Platform", "HTTP", "Certificates", "TLS", "HTTPSClient", "SourceJSON", "AssociatedDomains",
                "UniversalLinks",
            ],
            swiftSettings: memorySafe),
        .target(
            name: "SharedWebCredentials",
            dependencies: [
                "Platform", "Certificates", "HTTPSClient", "SourceJSON", "AssociatedDomains", "UniversalLinks",
                "AssociationChecker",
            ],
            swiftSettings: memorySafe),
        .target(
            name: "Accounts", dependencies: ["COpenSSL", "Platform", "Certificates", sqlite, log],
            resources: [.embedInCode("Embedded")], swiftSettings: memorySafe),
        .target(
            name: "UltraMotivator",
            dependencies: [
                "Platform", "HTTP", "Certificates", "TLS", "Server", "HTTPSClient", "SourceJSON", "AssociatedDomains",
                "UniversalLinks", "AssociationChecker",
                "SharedWebCredentials", "Accounts", log, httpTypes, mustache,
            ],
            resources: [.embedInCode("Embedded")],
            swiftSettings: memorySafe),
        .target(
            name: "UltraMotivatorClient",
            dependencies: [
                "Platform", "Certificates", "HTTPSClient", "SourceJSON", "AssociatedDomains", "UniversalLinks",
                "AssociationChecker", "SharedWebCredentials",
            ],
            swiftSettings: memorySafe),
        .executableTarget(
            name: "motivator",
            dependencies: [
                "CBuild", "COpenSSL", "Platform", "HTTP", "Certificates", "Server", "HTTPSClient", "SourceJSON",
                "AssociatedDomains", "UniversalLinks", "AssociationChecker", "SharedWebCredentials", "Accounts",
                "UltraMotivator", "UltraMotivatorClient", log, arguments,
            ],
            swiftSettings: memorySafe),
        // Code that the test targets share. It is not part of a product.
        .target(
            name: "TestSupport", dependencies: ["Platform", "Certificates", log], path: "Tests/TestSupport",
            swiftSettings: memorySafe),
        .testTarget(name: "PlatformTests", dependencies: ["TestSupport", "Platform"], swiftSettings: strict),
        .testTarget(name: "HTTPTests", dependencies: ["TestSupport", "HTTP", httpTypes], swiftSettings: strict),
        .testTarget(
            name: "CertificatesTests", dependencies: ["TestSupport", "Certificates", "Platform"], swiftSettings: strict),
        .testTarget(
            name: "TLSTests", dependencies: ["TestSupport", "COpenSSL", "TLS", "Certificates", "Platform"],
            swiftSettings: strict),
        .testTarget(
            name: "ServerTests",
            dependencies: [
                "TestSupport", "COpenSSL", "CZlib", "Platform", "HTTP", "Certificates", "TLS", "Server", log,
                httpTypes,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "AssociatedDomainsTests",
            dependencies: [
                "TestSupport", "HTTPSClient", "SourceJSON", "AssociatedDomains", "UniversalLinks",
                "AssociationChecker", "COpenSSL", "HTTP", "TLS", "Certificates", "Platform",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "SharedWebCredentialsTests",
            dependencies: [
                "TestSupport", "SharedWebCredentials", "HTTPSClient", "SourceJSON", "AssociatedDomains",
                "UniversalLinks", "AssociationChecker", "TLS", "Certificates", "Platform",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "AccountsTests", dependencies: ["TestSupport", "Accounts", "Platform", sqlite, log],
            swiftSettings: strict),
        .testTarget(
            name: "UltraMotivatorTests",
            dependencies: [
                "TestSupport", "UltraMotivator", "Accounts", "Server", "HTTP", "TLS", "Certificates", "HTTPSClient",
                "SourceJSON", "AssociatedDomains", "UniversalLinks", "AssociationChecker", "Platform", log, httpTypes,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "UltraMotivatorClientTests",
            dependencies: [
                "TestSupport", "UltraMotivatorClient", "UltraMotivator", "Accounts", "Server", "HTTP", "Certificates",
                "TLS", "HTTPSClient", "SourceJSON", "AssociatedDomains", "UniversalLinks", "AssociationChecker",
                "SharedWebCredentials", "Platform", log, httpTypes,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "MotivatorTests", dependencies: ["motivator", "Platform", "HTTP", "Server", arguments],
            swiftSettings: strict),
    ]
)
