import HTTPSClient
import Platform

/// Goes the way of a match again, and tells of each step.
struct LinkExplainer {
    private let file: LinkFile
    private var run: LinkRun
    private var entries: [UniversalLinks.Explanation] = []

    private typealias Part = UniversalLinks.Explanation.Part

    /// What came of the keys of a component.
    private struct Trial {
        package var parts: [Part] = []
        /// The sentence of the key that did not match; nil when all match.
        package var failure: String?

        /// Adds what came of another key, unless one has failed before.
        package mutating func add(try attempt: @autoclosure () -> Trial) {
            guard failure == nil else { return }
            let trial = attempt()
            parts += trial.parts
            failure = trial.failure
        }
    }

    /// A part of the URL as it is shown.
    private struct TextKey: Hashable {
        package let part: URLPart
        let variant: Int
        var item: Int?
    }

    /// What patterns and dictionaries that several components share have come to.
    private var patternTrials: [Int: Trial] = [:]
    private var queryTrials: [Int: Trial] = [:]
    private var texts: [TextKey: String] = [:]

    /// - Parameter run: a run that was made for explaining.
    init(_ run: LinkRun) {
        self.run = run
        file = run.file
    }

    /// - Parameter apps: the apps to look at, indices into the file's.
    mutating func explain(_ apps: Range<Int>) -> [UniversalLinks.Explanation] {
        /// The outcome of each detail that was explained.
        var outcomes = [UniversalLinks.Outcome?](repeating: nil, count: file.details.count)
        var firstBlock: Int?
        for app in apps {
            for detail in file.apps[app].details {
                let outcome = outcomes[detail] ?? explain(detail: detail, app: app)
                if outcomes[detail] == nil, outcome == .blocked { firstBlock = firstBlock ?? entries.count - 1 }
                outcomes[detail] = outcome
                if outcome == .matched || outcome == .undecided { return entries }
                if outcome == .blocked { break }
            }
        }
        // The components of other apps were tried after the one that decides.
        if let firstBlock { entries.append(entries.remove(at: firstBlock)) }
        return entries
    }

    private mutating func explain(detail: Int, app: Int) -> UniversalLinks.Outcome {
        for number in file.details[detail] {
            let component = file.components[number]
            let trial = attempt(component)
            let outcome: UniversalLinks.Outcome =
                if run.matcher.isExhausted {
                    .undecided
                } else if trial.failure != nil {
                    .unmatched
                } else {
                    component.excludes ? .blocked : .matched
                }
            entries.append(
                UniversalLinks.Explanation(
                    app: file.apps[app].identifier, detail: component.origin.detail, component: component.origin.index,
                    location: component.origin.location, outcome: outcome,
                    sentence: sentence(of: trial, outcome, component), parts: trial.parts))
            if outcome != .unmatched { return outcome }
        }
        return .unmatched
    }

    private func sentence(
        of trial: Trial, _ outcome: UniversalLinks.Outcome, _ component: LinkFile.Component
    ) -> String {
        let rule = component.origin.isLegacy ? "path" : "component"
        switch outcome {
        case .undecided: return "the comparison was given up here, because it takes too much work"
        case .unmatched: return trial.failure ?? "the \(rule) does not match"
        case .matched, .blocked:
            let parts = trial.parts.map { part in
                part.item.map { "the query item \($0.bare) matches \(part.pattern.bare)" }
                    ?? "the \(word(part.key)) \(part.value.bare) matches \(part.pattern.bare)"
            }
            let match = parts.isEmpty ? "the \(rule) matches every URL" : parts.joined(separator: ", ")
            return outcome == .blocked ? "\(match), and the \(rule) excludes it" : match
        }
    }

    private func word(_ key: String) -> String {
        switch key {
        case "/": URLPart.path.word
        case "?": URLPart.query.word
        case _: URLPart.fragment.word
        }
    }

    private mutating func attempt(_ component: LinkFile.Component) -> Trial {
        var trial = Trial()
        if let path = component.path { trial.add(try: attempt(pattern: path)) }
        switch component.query {
        case .anything: break
        case .text(let query): trial.add(try: attempt(pattern: query))
        case .items(let items): trial.add(try: attempt(query: items, component.variant))
        }
        if let fragment = component.fragment { trial.add(try: attempt(pattern: fragment)) }
        return trial
    }

    private mutating func attempt(pattern index: Int) -> Trial {
        if let known = patternTrials[index] { return known }
        let pattern = file.store.patterns[index]
        let shown = run.subject.scalars(pattern.part, pattern.variant.withCase)
        let text = texts[TextKey(part: pattern.part, variant: pattern.variant.index)] ?? text(shown)
        texts[TextKey(part: pattern.part, variant: pattern.variant.index)] = text
        let subject = text.isEmpty ? "the empty \(pattern.part.word)" : "the \(pattern.part.word) \(text.bare)"
        let trial = compare(
            index, run.subject.scalars(pattern.part, pattern.variant), (shown, text), item: nil, subject)
        patternTrials[index] = trial
        return trial
    }

    private mutating func attempt(query index: Int, _ variant: ComparisonVariant) -> Trial {
        if let known = queryTrials[index] { return known }
        var trial = Trial()
        for item in file.store.queries[index] where trial.failure == nil { attempt(item, variant, &trial) }
        queryTrials[index] = trial
        return trial
    }

    private mutating func attempt(
        _ item: PatternStore.QueryItem, _ variant: ComparisonVariant, _ trial: inout Trial
    ) {
        let candidates = run.subject.items[variant.index]
        run.matcher.spend(candidates.count)
        var isAbsent = true
        for (position, candidate) in candidates.enumerated() where candidate.name == item.name {
            isAbsent = false
            let shown = run.subject.items[variant.withCase.index][position].value
            let text = texts[TextKey(part: .query, variant: variant.index, item: position)] ?? text(shown)
            texts[TextKey(part: .query, variant: variant.index, item: position)] = text
            let subject = "the query item \(item.nameText.bare) with the value \(text.bare)"
            trial.add(try: compare(item.pattern, candidate.value, (shown, text), item: item.nameText, subject))
            guard trial.failure == nil else { return }
        }
        guard isAbsent else { return }
        let subject = "the query item \(item.nameText.bare), which is absent and counts as \"\","
        trial.add(try: compare(item.pattern, [], ([], ""), item: item.nameText, subject))
    }

    /// Compares a value, and takes down what comes of it.
    private mutating func compare(
        _ index: Int, _ value: [UInt32], _ shown: (scalars: [UInt32], text: String), item: String?, _ subject: String
    ) -> Trial {
        let pattern = file.store.patterns[index]
        let matched = run.matcher.matches(index, value)
        let stop = run.matcher.stop
        let part = Part(
            key: pattern.part.key, item: item, pattern: pattern.text, value: shown.text, matched: matched,
            furthest: matched ? shown.scalars.count : stop.position)
        guard !matched else { return Trial(parts: [part]) }
        let sentence = MismatchSentence(file.store, pattern: index, stop: stop, value: shown.scalars)
        return Trial(parts: [part], failure: sentence.text(on: subject))
    }

    private func text(_ scalars: [UInt32]) -> String {
        PatternAtom.text(scalars.map(PatternAtom.scalar))
    }
}

extension ComparisonVariant {
    /// The variant in which the text keeps its case.
    var withCase: ComparisonVariant { ComparisonVariant(caseSensitive: true, percentEncoded: percentEncoded) }
}

extension String {
    /// The text as it is when nothing in it can be misunderstood, else as an excerpt in quotes.
    package var bare: String {
        let isPlain = !isEmpty && utf8.count <= 80 && utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 }
        return isPlain ? self : excerpt
    }
}
