/// How many passwords there are, by what has been drawn already and how many characters are still to come.
///
/// Each number of characters to come has its own scale, so that 95^1024 fits: only the proportions within one are right,
/// which is all that a draw needs.
struct PasswordCounts: Sendable {
    /// The most `required` rules, as each doubles the states.
    static let mostRules = 12
    /// The most numbers that are kept: 32 MiB of them.
    static let mostStates = 1 << 22

    /// What the characters drawn so far leave behind.
    struct State {
        static let start = State(met: 0, group: nil, run: 0)

        /// The rules that are met, one bit for each.
        var met: Int
        /// The group of the last character.
        var group: Int?
        /// How many times in a row the last character stands; always 1 where that does not matter.
        var run: Int
    }

    /// A way to go on: the last character once more, or any other character of a group.
    struct Step {
        let group: Int
        let isRepetition: Bool
        /// How many passwords it leads to, in proportion to the other steps.
        let weight: Double
    }

    let groups: [RuledPasswordGenerator.Group]
    private let allMet: Int
    private let longestRun: Int
    private let runMatters: Bool
    /// One row for each number of characters to come; in it, by rules met, last group, run.
    private var rows: [[Double]] = []

    /// - Parameters:
    ///   - groups: the characters there are.
    ///   - rules: the number of rules to meet.
    ///   - length: the most characters of a password.
    ///   - run: how many times in a row one character may stand.
    /// - Returns: nil when there would be too much to count.
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

    /// Whether there is a password of so many characters.
    func hasPassword(length: Int) -> Bool {
        steps(from: .start, left: length - 1).contains { $0.weight > 0 }
    }

    /// The ways to go on, some of which may lead nowhere.
    ///
    /// - Parameters:
    ///   - state: what has been drawn.
    ///   - left: how many characters come after the next one.
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

    /// The passwords that go on with a character of a group other than the last one.
    private func countOthers(_ group: Int, after last: Int?, _ met: Int, _ left: Int) -> Double {
        let others = groups[group].members.count - (group == last ? 1 : 0)
        return Double(others) * count(met | groups[group].rules, group, run: 1, left)
    }

    /// The passwords that go on with the last character, when it may stand there once more.
    private func countAgain(_ group: Int, _ met: Int, _ run: Int, _ left: Int) -> Double {
        count(met | groups[group].rules, group, run: runMatters ? run + 1 : 1, left)
    }

    private func count(_ met: Int, _ group: Int, run: Int, _ left: Int) -> Double {
        rows[left][(met * groups.count + group) * longestRun + run - 1]
    }

    /// With no character to come, the password is whole: one, if it meets all rules.
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
