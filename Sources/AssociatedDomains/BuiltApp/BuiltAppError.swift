package import Certificates
package import MotivatorPlatform

/// The reason the entitlements of an app, an IPA file or a provisioning profile cannot be read.
package enum BuiltAppError: ExplainedError, Equatable {
    case file(FileError)
    case list(Entitlements.Failure)
    /// A requested range is out of bounds. Readers replace this error with an error that names the file.
    case truncated(offset: Int, count: Int, size: Int)

    // The folder or archive as a whole.

    case noApp(folder: String)
    case noAppInArchive
    case severalApps([String])
    case information(name: String, reason: String)
    case missingFile(name: String)
    case tooLarge(name: String, size: Int, limit: Int)

    // The executable.

    case notAnExecutable(name: String)
    case malformedExecutable(name: String, reason: String)
    case unsigned(name: String)
    case noEntitlements(name: String)

    // The archive.

    case notAnArchive(reason: String)
    case zip64
    case encryptedEntry(name: String)
    case compression(name: String, method: Int)
    case damagedEntry(name: String, reason: String)

    // The provisioning profile.

    case signedMessage(CMSIssue)
    case profile(reason: String)

    package var problem: String {
        switch self {
        case .file(let error): error.problem
        case .list(let error): error.problem
        case .truncated(let offset, let count, let size):
            "\(count) bytes at offset \(offset) are missing: the content is only \(size) bytes long"
        case .noApp(let folder):
            BuiltAppError.isXcodeArchive(folder)
                ? "the folder is an Xcode archive, not an app"
                : "the folder contains no Info.plist, so it is not an app"
        case .noAppInArchive: "the archive contains no app: no entry is named Payload/NAME.app/Info.plist"
        case .severalApps(let names):
            "the archive contains several apps: \(names.prefix(3).map(\.excerpt).joined(separator: ", "))"
        case .information(let name, let reason): "\(name.excerpt): \(reason)"
        case .missingFile(let name): "the app does not contain \(name.excerpt), the executable named in its Info.plist"
        case .tooLarge(let name, let size, let limit): "\(name.excerpt) is \(size) bytes long; the limit is \(limit)"
        case .notAnExecutable(let name): "\(name.excerpt) is not a Mach-O executable"
        case .malformedExecutable(let name, let reason): "the executable \(name.excerpt) is damaged: \(reason)"
        case .unsigned(let name): "the executable \(name.excerpt) is not signed, so it has no entitlements"
        case .noEntitlements(let name): "the signature of \(name.excerpt) contains no XML entitlements"
        case .notAnArchive(let reason): "the zip archive cannot be read: \(reason)"
        case .zip64: "the zip archive is in the ZIP64 format"
        case .encryptedEntry(let name): "the entry \(name.excerpt) in the archive is encrypted"
        case .compression(let name, let method):
            "the entry \(name.excerpt) in the archive is compressed with method \(method), not with deflate"
        case .damagedEntry(let name, let reason): "the entry \(name.excerpt) in the archive is damaged: \(reason)"
        case .signedMessage(let error): "the provisioning profile is not a signed message: \(error.problem)"
        case .profile(let reason): "the provisioning profile is not valid: \(reason)"
        }
    }

    static func isXcodeArchive(_ folder: String) -> Bool {
        folder.hasSuffix(".xcarchive") || folder.hasSuffix(".xcarchive/")
    }

    package var fix: String {
        switch self {
        case .file(let error): error.fix
        case .list(let error): error.fix
        case .noApp(let folder):
            BuiltAppError.isXcodeArchive(folder)
                ? "Specify its app: Products/Applications/NAME.app" : "Specify a folder whose name ends with .app"
        case .noAppInArchive: "Specify an IPA file that Xcode exported"
        case .severalApps, .zip64, .encryptedEntry, .compression:
            "Extract the archive, and specify the folder Payload/NAME.app"
        case .information, .missingFile: "Build the app again, and specify the result of the build"
        case .tooLarge: "Specify the .entitlements file, or the output of codesign -d --entitlements - --xml APP"
        case .notAnExecutable: "Specify an app for iOS, macOS or another Apple platform"
        case .truncated, .malformedExecutable, .notAnArchive, .damagedEntry:
            "Copy or export the app again, or specify its .entitlements file"
        case .unsigned, .noEntitlements:
            "Build the app for a device instead of the Simulator and sign it, or specify its .entitlements file"
        case .signedMessage, .profile: "Download the profile again, or specify the signed app"
        }
    }

    package var exitCode: ExitCode {
        if case .file(let error) = self { return error.exitCode }
        if case .noApp = self { return .noInput }
        return .badInput
    }
}
