import Certificates
import MotivatorPlatform

/// Reads the entitlements from a built app, a provisioning profile or a property list.
///
/// An app's entitlements are in the code signature of its executable. The app's provisioning profile limits them.
package enum BuiltApp {
    /// The maximum size of an executable in an archive, in bytes.
    ///
    /// Apple allows 500 MB of code. The limit bounds the time spent on a small archive that decompresses to many bytes.
    static let maximumExecutableSize = 1 << 30

    /// The maximum size of a profile or a property list, in bytes. A profile with 3,000 devices takes about 250 KB.
    package static let maximumListSize = 1 << 20

    /// Reads the entitlements from a file or folder.
    /// - Parameter path: An `.app` folder, an IPA file, an executable, a provisioning profile, or a property list. Only
    ///   a profile or a property list can be a pipe.
    package static func entitlements(at path: String) throws(BuiltAppError) -> Entitlements {
        let version = try? FileVersion(path: path)
        if version?.isFolder == true {
            if BuiltAppError.isXcodeArchive(path) { throw .noApp(folder: path) }
            let list = try entitlements { (name, _) throws(BuiltAppError) in
                do throws(FileError) {
                    return try FileBytes("\(path)/\(name)")
                } catch .notFound {
                    return nil
                } catch {
                    throw .file(error)
                }
            }
            guard let list else { throw .noApp(folder: path) }
            return list
        }
        guard version?.isRegular == true else {
            return try entitlements(
                inList: readingFile { () throws(FileError) in try File.readInput(path, limit: maximumListSize) })
        }
        return try entitlements(in: readingFile { () throws(FileError) in try FileBytes(path) })
    }

    /// Reads the entitlements from a file.
    /// - Parameter source: The content of an IPA file, an executable, a provisioning profile, or a property list.
    package static func entitlements(in source: any ByteSource) throws(BuiltAppError) -> Entitlements {
        let magic = try source.read(at: 0, count: min(4, source.size))
        switch magic.bigEndian(at: 0, size: magic.count) {
        // A zip archive, which may have no entries.
        case 0x504B_0304, 0x504B_0506:
            let archive = try ZipArchive(source)
            let folder = try archive.appFolder
            let list = try entitlements { (name, limit) throws(BuiltAppError) in
                guard let entry = try archive.entry(named: folder + name) else { return nil }
                return try archive.content(of: entry, limit: limit)
            }
            guard let list else { throw .noAppInArchive }
            return list
        case 0xCFFA_EDFE, 0xCEFA_EDFE, 0xCAFE_BABE: return try signed(in: source, name: "the file", adding: [])
        case _:
            guard source.size <= maximumListSize else { throw .list(.tooLarge(size: source.size)) }
            return try entitlements(inList: source.read(at: 0, count: source.size))
        }
    }

    /// Reads the entitlements from a provisioning profile or a property list.
    package static func entitlements(inList bytes: [UInt8]) throws(BuiltAppError) -> Entitlements {
        // A profile may be larger than a property list. No list begins with this byte, the DER tag of a SEQUENCE.
        if bytes.first == 0x30, bytes.count > Entitlements.maximumSize { return try permitted(by: bytes) }
        do throws(Entitlements.Failure) {
            return try Entitlements(bytes)
        } catch .other(.provisioningProfile) {
            return try permitted(by: bytes)
        } catch {
            throw .list(error)
        }
    }

    // MARK: Apps

    /// Opens a file of an app by its path without `..`, unless the app does not contain it or the file is too large.
    private typealias Open = (_ path: String, _ limit: Int) throws(BuiltAppError) -> (any ByteSource)?

    private static func entitlements(_ open: Open) throws(BuiltAppError) -> Entitlements? {
        for layout in layouts {
            guard let information = try open(layout.information, Entitlements.maximumSize) else { continue }
            let name = layout.executables + (try executableName(information, layout.information))
            guard let executable = try open(name, maximumExecutableSize) else { throw .missingFile(name: name) }
            return try signed(in: executable, name: name, adding: profileIssues(open, layout.profile))
        }
        return nil
    }

    /// The paths in an app: for iOS, tvOS, watchOS and visionOS, and for macOS.
    private static let layouts: [(information: String, executables: String, profile: String)] = [
        ("Info.plist", "", "embedded.mobileprovision"),
        ("Contents/Info.plist", "Contents/MacOS/", "Contents/embedded.provisionprofile"),
    ]

    private static func executableName(_ source: any ByteSource, _ name: String) throws(BuiltAppError) -> String {
        guard source.size <= Entitlements.maximumSize else {
            throw .tooLarge(name: name, size: source.size, limit: Entitlements.maximumSize)
        }
        let bytes = try source.read(at: 0, count: source.size)
        let value: Any?
        do throws(Entitlements.Failure) { value = try PropertyList(bytes).root["CFBundleExecutable"] } catch {
            throw .information(name: name, reason: error.problem)
        }
        guard let executable = value as? String else {
            throw .information(name: name, reason: "it does not name the executable: CFBundleExecutable is missing")
        }
        // The name comes from an untrusted file and must not point outside the app.
        let isName =
            !executable.isEmpty && executable.utf8.count <= 255 && ![".", ".."].contains(executable)
            && !executable.utf8.contains(UInt8(ascii: "/")) && !executable.utf8.contains(0)
        guard isName else {
            throw .information(name: name, reason: "CFBundleExecutable is \(executable.excerpt), not a file name")
        }
        return executable
    }

    private static func signed(
        in executable: any ByteSource, name: String, adding issues: [Entitlements.EntryIssue]
    ) throws(BuiltAppError) -> Entitlements {
        let bytes = try CodeSignature.entitlements(in: executable, name: name)
        do throws(Entitlements.Failure) {
            let list = try Entitlements(bytes)
            // Without entries, the profile does not matter.
            return list.embedded(adding: list.entries.isEmpty ? [] : issues)
        } catch {
            throw .list(error)
        }
    }

    /// Returns the issues in an app's profile. An app from the App Store has no profile.
    private static func profileIssues(_ open: Open, _ name: String) -> [Entitlements.EntryIssue] {
        do throws(BuiltAppError) {
            guard let source = try open(name, maximumListSize) else { return [] }
            guard source.size <= maximumListSize else {
                throw .tooLarge(name: name, size: source.size, limit: maximumListSize)
            }
            let list = try permitted(by: source.read(at: 0, count: source.size))
            return list.entries.isEmpty && !list.permitsAnyDomain ? [.notPermitted] : []
        } catch {
            return [
                .init(
                    .unreadableProfile, "the provisioning profile in the app cannot be read: \(error.problem)",
                    fix: "Sign the app again with a new profile")
            ]
        }
    }

    /// Returns the permitted entitlements of a provisioning profile: a property list in a signed message (CMS).
    ///
    /// The signature is not verified, because the checker only reports the permitted domains. A device verifies it.
    private static func permitted(by profile: [UInt8]) throws(BuiltAppError) -> Entitlements {
        guard profile.count <= maximumListSize else {
            throw .tooLarge(name: "the profile", size: profile.count, limit: maximumListSize)
        }
        let content: [UInt8]
        do throws(CMSIssue) { content = try CMS.open(profile).content } catch { throw .signedMessage(error) }
        let value: Any?
        do throws(Entitlements.Failure) { value = try PropertyList(content).root["Entitlements"] } catch {
            throw .profile(reason: error.problem)
        }
        guard let value else { throw .profile(reason: "it has no key \"Entitlements\"") }
        guard let dictionary = value as? [String: Any] else {
            throw .profile(reason: "the value of \"Entitlements\" is \(PropertyList.kind(of: value)), not a dictionary")
        }
        return EntitlementsReader(profile: dictionary).result
    }

    private static func readingFile<Result>(_ body: () throws(FileError) -> Result) throws(BuiltAppError) -> Result {
        do throws(FileError) { return try body() } catch { throw .file(error) }
    }
}
