package import MotivatorPlatform

/// Runs other programs, such as `openssl`.
package enum Spawn {
    /// Starts a program without input.
    ///
    /// - Parameters:
    ///   - words: The name of the program, to be found in PATH, and its arguments.
    ///   - output: The file for standard output and standard error.
    /// - Throws: `SystemError` if the program cannot be started.
    package static func start(_ words: [String], output: String = "/dev/null") throws(SystemError) -> pid_t {
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        let variables = unsafe _NSGetEnviron().pointee
        #else
        var actions = unsafe posix_spawn_file_actions_t()
        let variables = unsafe environ
        #endif
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        unsafe posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)
        var arguments: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) } + [nil]
        defer { unsafe arguments.forEach { unsafe free($0) } }
        var process: pid_t = 0
        let code = unsafe posix_spawnp(&process, words[0], &actions, nil, &arguments, variables)
        guard code == 0 else { throw SystemError("posix_spawnp", code: code) }
        return process
    }

    /// Waits until a program exits.
    ///
    /// - Returns: The status from waitpid(2).
    package static func status(of process: pid_t) -> Int32 {
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
        return status
    }
}
