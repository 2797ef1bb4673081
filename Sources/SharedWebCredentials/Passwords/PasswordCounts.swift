/// The numbers of possible passwords, by state and number of remaining characters.
///
/// Each number of remaining characters has its own scale, because 95^1024 would overflow. A draw needs only the
/// proportions within a scale.
struct PasswordCounts: Sendable {
    /// The maximum number of `required` rules. Each rule doubles the states.
    static let mostRules = 12
    /// The maximum number of counts, which take up 32 MiB.
    static let mostStates = 1 << 22

    /// The state after the characters drawn so far.
    struct State {
        static let start = State(met: 0, group: nil, run: 0)

        /// The satisfied rules, as one bit each.
        var met: Int
        var group: Int?
        /// The length of the current run of identical characters; always 1 if the rules do not limit runs.
        var run: Int
    }

    /// The next character: the last character again, or any other character of a group.
    struct Step {
        let group: Int
        let isRepetition: Bool
        /// The number of passwords with this step, relative to the other steps.
        let weight: Double
    }

    let groups: [RuledPasswordGenerator.Group]
    private let allMet: Int
    private let longestRun: Int
    private let runMatters: Bool
    /// One row for each number of remaining characters, indexed by satisfied rules, last group and run.
    private var rows: [[Double]] = []

    /// - Parameter run: the maximum number of consecutive identical characters.
    /// - Returns: nil if there are too many states.
    init?(groups: [RuledPasswordGenerator.Group], rules: Int, length: Int, run: Int) {
        self.groups = groups
        allMet = 1 << rules - 1
        runMatters = run < length
        longestRun = runMatters ? run : 1
        let width = (allMet + 1) * groups.count * longestRun
        guard width * length <= Self.mostStates else { return nil }
        rows = [firstRow(width)]
        for left in 1..<max(length, 1) { rows.append(row(left, width)) }
    }

    func hasPassword(length: Int) -> Bool {
        steps(from: .start, left: length - 1).contains { $0.weight > 0 }
    }

    /// Returns the possible next characters. Some may have a weight of 0.
    func steps(from state: State, left: Int) -> [Step] {
        var steps = groups.indices.map { group in
            Step(
                group: group, isRepetition: false,
                weight: countOthers(group, after: state.group, state.met, left))
        }
        if let group = state.group, !runMatters || state.run < longestRun {
            steps.append(Step(group: group, isRepetition: true, weight: countAgain(group, state.met, state.run, left)))
        }
        return steps
    }

    func state(after step: Step, from state: State) -> State {
        State(
            met: state.met | groups[step.group].rules, group: step.group,
            run: step.isRepetition && runMatters ? state.run + 1 : 1)
    }

    /// Returns the number of passwords that continue with a different character from the given group.
    private func countOthers(_ group: Int, after last: Int?, _ met: Int, _ left: Int) -> Double {
        let others = groups[group].members.count - (group == last ? 1 : 0)
        return Double(others) * count(met | groups[group].rules, group, run: 1, left)
    }

    /// Returns the number of passwords that repeat the last character.
    private func countAgain(_ group: Int, _ met: Int, _ run: Int, _ left: Int) -> Double {
        count(met | groups[group].rules, group, run: runMatters ? run + 1 : 1, left)
    }

    private func count(_ met: Int, _ group: Int, run: Int, _ left: Int) -> Double {
        rows[left][(met * groups.count + group) * longestRun + run - 1]
    }

    /// Returns the counts for no remaining characters. A complete password counts if it satisfies all rules.
    private func firstRow(_ width: Int) -> [Double] {
        (0..<width).map { $0 / (groups.count * longestRun) == allMet ? 1 : 0 }
    }

    private func row(_ left: Int, _ width: Int) -> [Double] {
        var row: [Double] = []
        row.reserveCapacity(width)
        for met in 0...allMet {
            for group in groups.indices {
                var others = 0.0
                for next in groups.indices { others += countOthers(next, after: group, met, left - 1) }
                for run in 1...longestRun {
                    let again = runMatters && run == longestRun ? 0 : countAgain(group, met, run, left - 1)
                    row.append(others + again)
                }
            }
        }
        let greatest = row.max() ?? 0
        return greatest > 0 ? row.map { $0 / greatest } : row
    }
}
