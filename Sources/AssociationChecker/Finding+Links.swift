import UniversalLinks

extension Finding {
    /// What a careful reader would say of the universal links.
    init(_ remark: UniversalLinks.Remark, in subject: String) {
        if case .appTwice = remark.kind {
            self.init(AppRule.twice, remark.problem, remedy: remark.remedy, in: subject, at: remark.location)
            return
        }
        self.init(LinkRule(remark.kind), remark.problem, remedy: remark.remedy, in: subject, at: remark.location)
    }
}

extension LinkRule {
    /// The rule that a remark is about.
    init(_ kind: UniversalLinks.Remark.Kind) {
        self =
            switch kind {
            case .wrongKind, .flagNotBoolean: .wrongKind
            case .noDetails: .noDetails
            case .legacyApps: .legacyApps
            case .noApps, .appTwice: .noApps
            case .appIDBesideAppIDs: .appIDIgnored
            case .bothGenerations: .bothGenerations
            case .noPatterns, .emptyPatterns: .noRules
            case .misspeltKey: .misspelt
            case .unknownKey: .unknownKey
            case .repeated, .afterCatchAll, .detailAfterCatchAll: .unreachable
            case .patternNotString: .notAString
            case .queryVoided: .queryVoid
            case .malformedNot, .notInComponent: .misusedNot
            case .hostInPath: .wholeURL
            case .queryInPath, .fragmentInPath: .queryInPath
            case .neverAsWritten, .escapeWhenDecoded: .neverMatches
            case .unknownVariable: .unknownVariable
            case .builtInName, .variableNotStrings, .emptyVariable, .variableInVariable, .unusedVariable: .variable
            }
    }
}
