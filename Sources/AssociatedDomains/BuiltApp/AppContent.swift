import MotivatorPlatform

/// The files of a built app, in a folder or an archive.
protocol AppContent {
    /// Opens a file in the app.
    /// - Parameters:
    ///   - path: The path in the app, without `..`.
    ///   - limit: The maximum size, in bytes.
    /// - Returns: The file, or nil if the app does not contain it.
    func open(_ path: String, limit: Int) throws(BuiltAppError) -> (any ByteSource)?
}

/// An app in a folder whose name ends with `.app`.
struct AppFolder: AppContent {
    let path: String

    func open(_ path: String, limit: Int) throws(BuiltAppError) -> (any ByteSource)? {
        do throws(FileError) {
            return try FileBytes("\(self.path)/\(path)")
        } catch .notFound {
            return nil
        } catch {
            throw .file(error)
        }
    }
}

/// An app in an IPA file: the entries below `Payload/NAME.app`.
struct ArchivedApp: AppContent {
    private let archive: ZipArchive
    /// The folder of the app in the archive, such as `Payload/Demo.app/`.
    private let folder: String

    init(_ source: any ByteSource) throws(BuiltAppError) {
        archive = try ZipArchive(source)
        let names = Set(archive.entries.compactMap(ArchivedApp.folder))
        guard let folder = names.first else { throw .noAppInArchive }
        guard names.count == 1 else { throw .severalApps(names.sorted()) }
        self.folder = folder
    }

    /// Returns the app folder that contains an entry, or nil if the entry is not the Info.plist of an app.
    private static func folder(of entry: ZipArchive.Entry) -> String? {
        let parts = entry.name.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "Payload", parts[1].hasSuffix(".app"), parts[2] == "Info.plist" else {
            return nil
        }
        return "Payload/\(parts[1])/"
    }

    func open(_ path: String, limit: Int) throws(BuiltAppError) -> (any ByteSource)? {
        guard let entry = try archive.entry(named: folder + path) else { return nil }
        return try archive.content(of: entry, limit: limit)
    }
}
