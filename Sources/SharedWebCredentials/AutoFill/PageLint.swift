package import AssociationChecker
package import HTTPSClient
import MotivatorPlatform

/// A linter for the forms of a page. Every command that reads a page uses it.
package enum PageLint {
    package static func issues(in html: [UInt8], name: String, url: WebURL?, savedFor host: String? = nil) -> [Issue] {
        let forms = PageForm.all(in: html)
        var found: [(issue: PageIssue, tag: HTMLTag?)] = []
        let withPassword = forms.filter { !$0.passwords.isEmpty }
        for form in withPassword { found += form.issues(beside: forms, url, savedFor: host) }
        for form in forms { found += form.fillIssues }
        let hasOther = forms.contains { $0.has(.username) || $0.inputs.contains { $0.isCode || $0.isSkipped } }
        if withPassword.isEmpty, !hasOther {
            // The first page of a sign-in may ask only for the user name.
            let names = forms.flatMap(\.inputs).filter(\.looksLikeUserName)
            found += names.map { ($0.missingToken, $0.tag) }
            if names.isEmpty { found.append((.noFields, nil)) }
        }
        return found.map { Issue($0.issue, in: name, at: $0.tag?.location) }
    }

    package static func report(_ html: [UInt8], name: String, url: WebURL?, _ others: [Issue] = []) -> Report {
        Report(
            target: name, issues: issues(in: html, name: name, url: url) + others, texts: [name: html],
            pageAction: action(on: PageForm.all(in: html)) + " \(name)")
    }

    /// Returns what a device does with the forms of a page, as the start of a phrase. Without tokens, it uses its
    /// heuristics (Apple, "Enabling Password AutoFill on an HTML input element").
    private static func action(on forms: [PageForm]) -> String {
        let asking = forms.filter { !$0.passwords.isEmpty || $0.has(.username) }
        let fields = asking.isEmpty ? forms.flatMap(\.inputs).filter(\.looksLikeUserName) : asking.flatMap(\.passwords)
        var actions = asking.contains(where: \.needsItem) ? ["offer saved passwords"] : []
        if asking.contains(where: { $0.has(.newPassword) }) {
            actions.append((actions.isEmpty ? "offer " : "") + "a generated password")
        }
        if fields.contains(where: { $0.token == nil }) {
            actions.append("guess the purpose of the fields without a known token")
        }
        return actions.isEmpty ? "fill the forms of" : actions.joined(separator: " and ") + " on"
    }
}

extension PageForm {
    fileprivate func issues(
        beside forms: [PageForm], _ url: WebURL?, savedFor host: String?
    ) -> [(issue: PageIssue, tag: HTMLTag?)] {
        var found: [(issue: PageIssue, tag: HTMLTag?)] = []
        if element == nil { found.append((.noForm, passwords.first?.tag)) }
        if let target = foreignTarget(url) { found.append((.otherTarget(target), element)) }
        for field in passwords where field.token == nil {
            let setting = field.autocomplete.isEmpty ? element?.attributes["autocomplete"] : field.autocomplete
            let isOff = setting?.loweredASCII == "off"
            found.append((isOff ? .autocompleteOff(field: field.label) : field.missingToken, field.tag))
        }
        // A browser ignores a value such as "username email".
        let misused = inputs.filter { $0.token == nil && !$0.isPassword && $0.autocomplete.contains("username") }
        found += misused.map { ($0.missingToken, $0.tag) }
        let userNames = inputs.count { $0.token == .username }
        let existing = inputs.filter { $0.token == .currentPassword }
        if userNames > 1 {
            found.append((.combinedForm(), element))
        } else if existing.count > 1 {
            found.append((.combinedForm(existing: existing.map(\.label)), existing[1].tag))
        } else if passwords.map(\.token) == [.newPassword, .currentPassword],
            ["repeat", "confirm", "again", "verif", "retype", "2"].contains(
                where: passwords[1].label.loweredASCII.contains)
        {
            found.append((.combinedForm(repeated: passwords[1].label), passwords[1].tag))
        }
        if userNames + misused.count == 0 {
            found.append((userNameIssue(beside: forms, savedFor: host), element ?? passwords[0].tag))
        } else if passwords.count == 1, passwords[0].token == .newPassword, isSignIn(url) {
            found.append((.newForCurrent(savedFor: host, hasUserName: true), passwords[0].tag))
        }
        return found + rulesIssues
    }

    /// The issues with fields that AutoFill skips or that cannot hold the value.
    fileprivate var fillIssues: [(issue: PageIssue, tag: HTMLTag?)] {
        var found: [(issue: PageIssue, tag: HTMLTag?)] = []
        let (skipped, codes) = (inputs.filter(\.isSkipped), inputs.filter(\.isCode))
        if let first = skipped.first { found.append((.readOnly(fields: skipped.map(\.label)), first.tag)) }
        if codes.count > 1 { found.append((.combinedForm(codes: codes.count), codes[0].tag)) }
        let rules = readRules?.rules
        let length = rules.flatMap { try? RuledPasswordGenerator($0).length } ?? RuledPasswordGenerator.usualLength
        if let field = fields.first(where: { $0.token == .newPassword && $0.maximumLength < length }) {
            let issue = PageIssue.shortField(field.label, field.maximumLength, generated: length, rules?.minimumLength)
            found.append((issue, field.tag))
        }
        return found
    }

    /// Whether the names of the form or its page say that it is for signing in.
    private func isSignIn(_ url: WebURL?) -> Bool {
        let names = [url?.path, element?.attributes["action"], id].compactMap(\.self).joined(separator: " ")
        let letters = names.loweredASCII.filter(\.isLetter)
        return ["signin", "login", "logon"].contains(where: letters.contains)
            && !["signup", "register", "join", "create"].contains(where: letters.contains)
    }

    private func userNameIssue(beside forms: [PageForm], savedFor host: String?) -> PageIssue {
        let candidate = inputs.first(where: \.looksLikeUserName)
        let isSplit = forms.contains { $0 != self && $0.completes(self) }
        if candidate == nil, isSplit { return .splitForm }
        let isLone = candidate == nil && passwords.count == 1 && passwords[0].token == .newPassword
        return isLone ? .newForCurrent(savedFor: host) : .noUserName(candidate: candidate?.label)
    }

    /// Whether this form has only the user name, or only the new password, that another form lacks.
    private func completes(_ other: PageForm) -> Bool {
        if passwords.isEmpty { return has(.username) }
        let (mine, theirs) = (Set(passwords.map(\.token)), Set(other.passwords.map(\.token)))
        return !has(.username) && mine.union(theirs).contains(.newPassword) && mine.count == 1 && theirs.count == 1
    }

    /// Returns the target of the form if it is not on the host of the page, or not secure.
    private func foreignTarget(_ url: WebURL?) -> String? {
        guard let action = element?.attributes["action"], !action.isEmpty,
            let target = url.map({ try? $0.resolving(action) }) ?? (try? WebURL(action))
        else { return nil }
        let isOwn = url.map { $0.host == target.host } ?? true
        return isOwn && target.scheme == "https" ? nil : "\(target)"
    }

    private var rulesIssues: [(issue: PageIssue, tag: HTMLTag?)] {
        var known: Set<String> = []
        return inputs.flatMap { field -> [(issue: PageIssue, tag: HTMLTag?)] in
            guard let text = field.passwordRules, known.insert(text).inserted else { return [] }
            guard field.token == .newPassword else { return [(.rulesElsewhere(field: field.label), field.tag)] }
            let (rules, mistakes) = PasswordRules.read(text)
            let fault = PageForm.fault(rules, mistakes)
            var issues: [PageIssue] = fault.map { [.rulesIgnored(reason: $0.problem, fix: $0.fix)] } ?? []
            issues += mistakes.dropLast(rules == nil ? 1 : 0).map { .rulesStrict(reason: $0.problem, fix: $0.fix) }
            if rules?.maximumRepeating ?? rules?.maximumSequential != nil {
                let reason = "older devices drop a value with max-repeating or max-sequential"
                issues.append(.rulesStrict(reason: reason, fix: "Use max-consecutive, which limits both"))
            }
            if fault == nil, let weakness = rules?.weakness { issues.append(.rulesWeak(reason: weakness)) }
            let missing = fault == nil ? rules.map(field.classesMissing) ?? [] : []
            if !missing.isEmpty { issues.append(.otherPattern(field.label, missing: missing.map(\.rawValue))) }
            return issues.map { ($0, field.tag) }
        }
    }
}

extension PageForm.Field {
    fileprivate var missingToken: PageIssue {
        .noToken(field: label, value: autocomplete, isPassword: isPassword)
    }

    /// Returns the classes that the field's pattern requires in lookaheads, but that a password for the rules may not
    /// have.
    fileprivate func classesMissing(in rules: PasswordRules) -> [CharacterClasses.Name] {
        let classes: [(name: CharacterClasses.Name, sets: [String])] = [
            (.lower, ["[a-z]"]), (.upper, ["[A-Z]"]), (.digit, ["[0-9]", "\\d"]),
        ]
        let pattern = tag.attributes["pattern"] ?? ""
        return classes.filter { name, sets in
            sets.contains { pattern.contains("(?=.*\($0))") }
                && !rules.required.contains { $0.drawn.isSubset(of: name.members) }
        }.map(\.name)
    }
}
