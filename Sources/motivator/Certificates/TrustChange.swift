import MotivatorPlatform

/// An operation that adds a root to trust stores or removes it, and reports a result for each store.
struct TrustChange {
    enum Action: String {
        case install, remove
    }

    struct Outcome {
        enum Status: String {
            case installed
            case alreadyInstalled = "already-installed"
            case removed
            case notInstalled = "not-installed"
            /// The store or its tool is missing.
            case unavailable
            case failed
        }

        let status: Status
        /// The problem as a sentence; nil for a success.
        var problem: String?
        var fix = Fix.none
        var exitCode = MotivatorPlatform.ExitCode.yes

        static func unavailable(problem: String, _ fix: Fix) -> Outcome {
            Outcome(status: .unavailable, problem: problem + ".", fix: fix, exitCode: .unavailable)
        }

        static func failed(_ error: any ExplainedError) -> Outcome {
            let fix = (error as? SystemTool.Failure)?.instruction ?? Fix(error.fix)
            return Outcome(status: .failed, problem: error.problem + ".", fix: fix, exitCode: error.exitCode)
        }
    }

    struct Result {
        let kind: RootStoreKind
        let location: String
        let outcome: Outcome
    }

    let action: Action
    let root: TrustedRoot

    /// Changes the stores of the given kinds one by one. A failure does not affect the other stores.
    func apply(to kinds: [RootStoreKind]) -> [Result] {
        kinds.flatMap { $0.find() }.map { found in
            switch found {
            case .store(let store): Result(kind: store.kind, location: store.location, outcome: outcome(in: store))
            case .unavailable(let kind, let problem, let fix):
                Result(kind: kind, location: "", outcome: .unavailable(problem: problem, fix))
            }
        }
    }

    /// Changes one store, and compares its state before and after.
    func outcome(in store: any RootStore) -> Outcome {
        do {
            switch action {
            case .install: return Outcome(status: try install(in: store))
            case .remove: return Outcome(status: try remove(from: store))
            }
        } catch let error as any ExplainedError {
            return .failed(error)
        } catch {
            return .failed(SystemTool.Failure("\(error)", fix: .printCommands))
        }
    }

    private func install(in store: any RootStore) throws -> Outcome.Status {
        switch try store.state(of: root) {
        case .installed, .foreign: return .alreadyInstalled
        case .unknown:
            try store.add(root)
            return .installed
        case .absent:
            try store.add(root)
            guard try store.state(of: root) != .absent else {
                throw SystemTool.Failure(
                    "the store does not trust the root, although its tool reported success",
                    fix: .printCommands)
            }
            return .installed
        }
    }

    private func remove(from store: any RootStore) throws -> Outcome.Status {
        switch try store.state(of: root) {
        case .absent: return .notInstalled
        case .unknown: try store.remove(root)
        case .foreign(let name, let removal):
            throw SystemTool.Failure("another program or user added the root as \(name.quoted)", fix: removal)
        case .installed:
            try store.remove(root)
            let now = try store.state(of: root)
            if case .foreign(let name, let removal) = now {
                throw SystemTool.Failure("the store still contains the root as \(name.quoted)", fix: removal)
            }
            guard now == .absent else {
                throw SystemTool.Failure(
                    "the store still trusts the root, although its tool reported success",
                    fix: "Remove the root with the store's own tool")
            }
        }
        return .removed
    }
}

extension TrustChange {
    /// Returns the exit code of the first failure. A missing store is an error only if no store is available or the
    /// user requested stores by name.
    static func exitCode(of results: [Result], isRequested: Bool) -> MotivatorPlatform.ExitCode {
        if let failure = results.first(where: { $0.outcome.status == .failed }) { return failure.outcome.exitCode }
        let missing = results.count { $0.outcome.status == .unavailable }
        return missing > 0 && (isRequested || missing == results.count) ? .unavailable : .yes
    }
}

extension TrustChange.Result {
    var row: StatusTable.Row {
        let level: StatusTable.Level =
            switch outcome.status {
            case .installed, .alreadyInstalled, .removed: .good
            case .notInstalled, .unavailable: .neutral
            case .failed: .bad
            }
        let message = [location, outcome.problem ?? ""].filter { !$0.isEmpty }.joined(separator: ": ")
        return .init(
            level: level, status: outcome.status.rawValue.replacing("-", with: " "), subject: kind.rawValue,
            message: message, fix: outcome.fix)
    }

    var json: JSONNode {
        let result: JSONNode = [
            "store": .text(kind.rawValue), "location": location.isEmpty ? .null : .text(location),
            "result": .text(outcome.status.rawValue), "message": .optional(outcome.problem),
        ]
        return result.adding(outcome.fix)
    }
}
