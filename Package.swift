// swift-tools-version: 6.2

import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

/// The sources mark every unsafe expression. The tests do not, because they call the C libraries too often.
let memorySafe = strict + [.strictMemorySafety()]

let log = Target.Dependency.product(name: "Logging", package: "swift-log")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let sqlite = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let mustache = Target.Dependency.product(name: "Mustache", package: "swift-mustache")
let metrics = Target.Dependency.product(name: "CoreMetrics", package: "swift-metrics")
let configuration = Target.Dependency.product(name: "Configuration", package: "swift-configuration")

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
    traits: [
        // Build with `--traits PostgreSQL`. The default build does not need libpq.
        .trait(name: "PostgreSQL", description: "Stores accounts in PostgreSQL, so several servers can share them.")
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        // Disable the package's own file formats. SourceJSON also reports the line and column of an error.
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: []),
    ],
    targets: [
        .systemLibrary(
            name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        .systemLibrary(
            name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        .systemLibrary(name: "CLinux"),
        .systemLibrary(name: "CBuild"),
        .target(
            name: "MotivatorPlatform", dependencies: ["CLinux", log], path: "Sources/Platform",
            swiftSettings: memorySafe),
        .target(name: "MotivatorHTTP", dependencies: [httpTypes], path: "Sources/HTTP", swiftSettings: memorySafe),
        .target(name: "AssociationDiagnostics", swiftSettings: memorySafe),
        .target(name: "COpenSSLExit", dependencies: ["COpenSSL"]),
        .target(
            name: "Certificates",
            dependencies: ["COpenSSL", "COpenSSLExit", "MotivatorPlatform", "AssociationDiagnostics"],
            swiftSettings: memorySafe),
        .target(
            name: "MotivatorTLS", dependencies: ["COpenSSL", "MotivatorPlatform", "Certificates"], path: "Sources/TLS",
            swiftSettings: memorySafe),
        .target(
            name: "MotivatorServer",
            dependencies: [
                "CLinux", "CZlib", "MotivatorPlatform", "MotivatorHTTP", "Certificates", "MotivatorTLS",
                log, httpTypes, metrics,
            ], path: "Sources/Server",
            swiftSettings: memorySafe),
        .target(
            name: "HTTPSClient",
            dependencies: [
                "CZlib", "MotivatorPlatform", "MotivatorHTTP", "Certificates", "MotivatorTLS", "AssociationDiagnostics",
            ],
            swiftSettings: memorySafe),
        .target(
            name: "SourceJSON", dependencies: ["MotivatorPlatform", "AssociationDiagnostics"], swiftSettings: memorySafe
        ),
        .target(
            name: "AssociatedDomains",
            dependencies: ["CZlib", "MotivatorPlatform", "Certificates", "SourceJSON", "AssociationDiagnostics"],
            swiftSettings: memorySafe),
        .target(
            name: "UniversalLinks",
            dependencies: [
                "MotivatorPlatform", "HTTPSClient", "SourceJSON", "AssociatedDomains", "AssociationDiagnostics",
            ],
            resources: [.embedInCode("Embedded")], swiftSettings: memorySafe),
        .target(
            name: "AssociationChecker",
            dependencies: [
                "MotivatorPlatform", "Certificates", "HTTPSClient", "SourceJSON",
                "AssociatedDomains",
                "UniversalLinks",
            ],
            resources: [.embedInCode("Embedded")], swiftSettings: memorySafe),
        .target(
            name: "SharedWebCredentials",
            dependencies: [
                "MotivatorPlatform", "Certificates", "HTTPSClient", "SourceJSON", "AssociatedDomains", "UniversalLinks",
                "AssociationChecker", "Passkeys",
            ],
            swiftSettings: memorySafe),
        .target(
            name: "Passkeys", dependencies: ["COpenSSL", "MotivatorPlatform", "Certificates", "SourceJSON"],
            swiftSettings: memorySafe),
        .target(
            name: "Accounts",
            dependencies: [
                "COpenSSL", "MotivatorPlatform", "Certificates", "Passkeys", sqlite, log, metrics,
            ],
            resources: [.embedInCode("Embedded")], swiftSettings: memorySafe),
        // Without the trait, the module is empty.
        .target(
            name: "PostgreSQLAccounts",
            dependencies: [
                "MotivatorPlatform", "HTTPSClient", "Passkeys", "Accounts",
                .target(name: "CPostgreSQL", condition: .when(traits: ["PostgreSQL"])),
            ],
            swiftSettings: memorySafe),
        .target(
            name: "WebChecker",
            dependencies: [
                "MotivatorPlatform", "Certificates", "MotivatorServer", "HTTPSClient", "SourceJSON",
                "AssociatedDomains", "UniversalLinks", "AssociationChecker",
            ],
            swiftSettings: memorySafe),
        .target(
            name: "UltraMotivator",
            dependencies: [
                "MotivatorPlatform", "MotivatorHTTP", "Certificates", "MotivatorTLS", "MotivatorServer",
                "SourceJSON", "AssociatedDomains", "AssociationChecker",
                "SharedWebCredentials", "Passkeys", "Accounts", "WebChecker", log, httpTypes, mustache,
            ],
            resources: [.embedInCode("Embedded")],
            swiftSettings: memorySafe),
        .target(
            name: "Faults",
            dependencies: [
                "MotivatorPlatform", "MotivatorHTTP", "Certificates", "MotivatorTLS", "MotivatorServer",
                "SourceJSON", "AssociationDiagnostics", "AssociatedDomains", "AssociationChecker", "Accounts",
                "UltraMotivator", httpTypes,
            ],
            resources: [.embedInCode("Embedded")], swiftSettings: memorySafe),
        .target(
            name: "Inspector",
            dependencies: [
                "MotivatorPlatform", "MotivatorHTTP", "Certificates", "MotivatorServer", "HTTPSClient",
                "AssociatedDomains", "AssociationChecker", "UltraMotivator", httpTypes,
            ],
            resources: [.embedInCode("Embedded")], swiftSettings: memorySafe),
        .target(
            name: "UltraMotivatorClient",
            dependencies: [
                "MotivatorPlatform", "Certificates", "HTTPSClient", "SourceJSON", "SharedWebCredentials",
            ],
            swiftSettings: memorySafe),
        .executableTarget(
            name: "motivator",
            dependencies: [
                "CBuild", "COpenSSL", "MotivatorPlatform", "MotivatorHTTP", "MotivatorTLS", "Certificates",
                "MotivatorServer", "HTTPSClient", "SourceJSON", "AssociatedDomains", "UniversalLinks",
                "AssociationChecker", "SharedWebCredentials", "Passkeys", "Accounts", "PostgreSQLAccounts",
                "UltraMotivator", "UltraMotivatorClient", "Faults", "Inspector", log, arguments, configuration,
            ],
            resources: [.embedInCode("Embedded")], swiftSettings: memorySafe),
        // Code that the test targets share. It is not part of a product.
        .target(
            name: "TestSupport", dependencies: ["MotivatorPlatform", "Certificates", log], path: "Tests/TestSupport",
            swiftSettings: memorySafe),
        .testTarget(name: "PlatformTests", dependencies: ["TestSupport", "MotivatorPlatform"], swiftSettings: strict),
        .testTarget(name: "MetricsTests", dependencies: ["MotivatorServer", metrics], swiftSettings: strict),
        .testTarget(
            name: "HTTPTests", dependencies: ["TestSupport", "MotivatorHTTP", httpTypes], swiftSettings: strict),
        .testTarget(
            name: "CertificatesTests", dependencies: ["TestSupport", "Certificates", "MotivatorPlatform"],
            swiftSettings: strict),
        .testTarget(
            name: "TLSTests",
            dependencies: ["TestSupport", "COpenSSL", "MotivatorTLS", "Certificates", "MotivatorPlatform"],
            swiftSettings: strict),
        .testTarget(
            name: "ServerTests",
            dependencies: [
                "TestSupport", "COpenSSL", "CZlib", "MotivatorPlatform", "MotivatorHTTP", "Certificates",
                "MotivatorTLS", "MotivatorServer", log, httpTypes,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "AssociatedDomainsTests",
            dependencies: [
                "TestSupport", "HTTPSClient", "SourceJSON", "AssociatedDomains", "UniversalLinks",
                "AssociationChecker", "COpenSSL", "MotivatorHTTP", "MotivatorTLS", "Certificates", "MotivatorPlatform",
                // One test sends each file through all commands.
                "Accounts", "motivator", "Faults", "Inspector", "MotivatorServer", "SharedWebCredentials",
                "UltraMotivator", "WebChecker", arguments,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "SharedWebCredentialsTests",
            dependencies: [
                "TestSupport", "SharedWebCredentials", "HTTPSClient", "SourceJSON", "AssociatedDomains",
                "UniversalLinks", "AssociationChecker", "MotivatorTLS", "Certificates", "MotivatorPlatform", "Passkeys",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "PasskeysTests",
            dependencies: ["TestSupport", "COpenSSL", "Passkeys", "Certificates", "SourceJSON", "MotivatorPlatform"],
            swiftSettings: strict),
        .testTarget(
            name: "AccountsTests",
            dependencies: [
                "TestSupport", "Passkeys", "Accounts", "PostgreSQLAccounts", "Certificates", "MotivatorServer",
                "MotivatorPlatform", sqlite, log, metrics,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "UltraMotivatorTests",
            dependencies: [
                "TestSupport", "UltraMotivator", "WebChecker", "Passkeys", "Accounts", "MotivatorServer",
                "MotivatorHTTP",
                "MotivatorTLS",
                "Certificates", "HTTPSClient",
                "SourceJSON", "AssociatedDomains", "UniversalLinks", "AssociationChecker", "MotivatorPlatform",
                "Faults",
                "Inspector", log, httpTypes,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "UltraMotivatorClientTests",
            dependencies: [
                "TestSupport", "UltraMotivatorClient", "UltraMotivator", "Accounts", "MotivatorServer", "MotivatorHTTP",
                "Certificates",
                "MotivatorTLS", "HTTPSClient", "SourceJSON", "AssociatedDomains", "UniversalLinks",
                "AssociationChecker",
                "SharedWebCredentials", "MotivatorPlatform", log, httpTypes,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "MotivatorTests",
            dependencies: [
                "TestSupport", "motivator", "MotivatorPlatform",
                "MotivatorHTTP", "Certificates", "MotivatorServer",
                arguments,
            ],
            swiftSettings: strict),
    ]
)
