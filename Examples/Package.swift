// swift-tools-version: 6.2

import PackageDescription

// In your package, specify the repository and a version:
//
//     .package(url: "<the repository>", from: "1.0.0")
//
// This example uses the surrounding checkout, or the repository in the environment variable ULTRA_MOTIVATOR.
let ultraMotivator: Package.Dependency =
    if let repository = Context.environment["ULTRA_MOTIVATOR"] {
        .package(url: repository, from: "1.0.0")
    } else {
        .package(name: "ultra-motivator", path: "..")
    }

let package = Package(
    name: "Examples",
    platforms: [.macOS(.v15)],
    dependencies: [ultraMotivator],
    targets: [
        .executableTarget(
            name: "check-file",
            dependencies: [.product(name: "AssociatedDomains", package: "ultra-motivator")]),
        .executableTarget(
            name: "share-password",
            dependencies: [.product(name: "SharedWebCredentials", package: "ultra-motivator")]),
        .executableTarget(
            name: "issue-certificate",
            dependencies: [.product(name: "Certificates", package: "ultra-motivator")]),
    ]
)
