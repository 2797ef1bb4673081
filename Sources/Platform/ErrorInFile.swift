/// An error in what a file says, with the file's name in front.
public struct ErrorInFile: ExplainedError {
    /// The file.
    public let path: String
    /// What is wrong inside it.
    public let error: any ExplainedError

    /// - Parameters:
    ///   - path: the file.
    ///   - error: what is wrong inside it.
    public init(path: String, error: any ExplainedError) {
        self.path = path
        self.error = error
    }

    /// Does something with a file's content, and puts the file's name in front of what goes wrong.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - body: what is done.
    /// - Throws: `ErrorInFile` for an `ExplainedError`, other errors as they are.
    public static func naming<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as any ExplainedError {
            throw ErrorInFile(path: path, error: error)
        }
    }

    public var problem: String { "\(path.quoted): \(error.problem)" }
    public var remedy: String { error.remedy }
    public var exitCode: ExitCode { error.exitCode }
}
