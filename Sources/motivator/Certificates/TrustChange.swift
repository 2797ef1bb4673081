import MotivatorPlatform

/// An operation that adds a root to trust stores or removes it, and reports a result for each store.
struct TrustChange {
    enum Action: String {
        case install, remove
    }

    /// The outcome for one store.
    enum Outcome {
        case installed
        case alreadyInstalled
        case removed
        case notInstalled
        /// The store or its tool is missing.
        case unavailable(problem: String, Fix)
        case failed(any ExplainedError)

        /// The status in reports.
        var word: String {
            switch self {
            case .installed: "installed"
            case .alreadyInstalled: "already-installed"
            case .removed: "removed"
            case .notInstalled: "not-installed"
            case .unavailable: "unavailable"
            case .failed: "failed"
            }
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
            case .install: return try install(in: store)
            case .remove: return try remove(from: store)
            }
        } catch let error as any ExplainedError {
            return .failed(error)
        } catch {
            return .failed(SystemTool.Failure("\(error)", fix: .printCommands))
        }
    }

    private func install(in store: any RootStore) throws -> Outcome {
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

    private func remove(from store: any RootStore) throws -> Outcome {
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
        var missing = 0
        for result in results {
            switch result.outcome {
            case .failed(let error): return error.exitCode
            case .unavailable: missing += 1
            case .installed, .alreadyInstalled, .removed, .notInstalled: break
            }
        }
        return missing > 0 && (isRequested || missing == results.count) ? .unavailable : .yes
    }
}

extension TrustChange.Result {
    /// The problem as a sentence, and its fix; nil for a success.
    private var problem: (text: String, fix: Fix)? {
        switch outcome {
        case .installed, .alreadyInstalled, .removed, .notInstalled: nil
        case .unavailable(let problem, let fix): (problem + ".", fix)
        case .failed(let error): (error.problem + ".", (error as? SystemTool.Failure)?.instruction ?? Fix(error.fix))
        }
    }

    var row: StatusTable.Row {
        let level: StatusTable.Level =
            switch outcome {
            case .installed, .alreadyInstalled, .removed: .good
            case .notInstalled, .unavailable: .neutral
            case .failed: .bad
            }
        let message = [location, problem?.text ?? ""].filter { !$0.isEmpty }.joined(separator: ": ")
        return .init(
            level: level, status: outcome.word.replacing("-", with: " "), subject: kind.rawValue, message: message,
            fix: problem?.fix ?? .none)
    }

    var json: JSONNode {
        let result: JSONNode = [
            "store": .text(kind.rawValue), "location": location.isEmpty ? .null : .text(location),
            "result": .text(outcome.word), "message": .optional(problem?.text),
        ]
        return result.adding(problem?.fix ?? .none)
    }
}
