import AssociatedDomains
import SourceJSON

extension Finding {
    /// An entry that a device drops.
    init(_ malformed: AssociatedDomain.Malformed, in subject: String, at place: SourceLocation?) {
        self.init(
            EntitlementRule(malformed), malformed.problem, remedy: malformed.remedy, in: subject, at: place)
    }

    /// What a careful reader would say of an entry that a device takes.
    init(_ remark: AssociatedDomain.Remark, in subject: String, at place: SourceLocation?) {
        let rule: EntitlementRule
        var consequences: Consequences?
        switch remark.kind {
        case .developerMode, .managedMode: rule = .mode
        case .wildcardRoot:
            (rule, consequences) = (.wildcardRoot, .all(.note))
        case .unknownMode, .defaultPort, .upperCaseHost: (rule, consequences) = (.remark, .all(.note))
        case .unreachableHost: (rule, consequences) = (.remark, Consequences(device: .warning))
        case .undocumentedPort, .wildcardPublicSuffix, .unusualName, .looksLikeAppIdentifier,
            .looksLikeBundleIdentifier:
            rule = .remark
        }
        self.init(rule, remark.problem, remedy: remark.remedy, in: subject, at: place, consequences)
    }

    /// What is to be said of the list that the entries are from: a denial where it may be why there are none.
    init(_ remark: Entitlements.Remark, in subject: String) {
        let consequences: Consequences? =
            switch remark.kind {
            case .missingKey, .misspeltKey, .notAnArray, .notAString, .noEntry, .profile, .informationList:
                .all(.denial)
            case .duplicate, .manyDomains, .buildSetting, .identifierNotAString, .malformedIdentifier: nil
            }
        self.init(
            EntitlementRule.list, remark.problem, remedy: remark.remedy, in: subject, at: remark.place, consequences)
    }
}

extension EntitlementRule {
    /// The rule that an entry breaks.
    init(_ malformed: AssociatedDomain.Malformed) {
        self =
            switch malformed {
            case .unknownService: .unknownService
            case .scheme, .slashes: .scheme
            case .path, .trailingSlash, .fragment: .path
            case .otherQuery: .query
            case .portMalformed, .portZero, .portTooLarge: .port
            case .wildcardInside, .wildcardAlone, .wildcardAddress, .wildcardForAppClips: .wildcard
            case .noDot, .localhostWithoutDeveloperMode: .noDot
            case .addressWithoutMode, .addressWithoutBrackets, .malformedAddress: .address
            case .emptyHost, .leadingDot, .trailingDot, .emptyLabel, .labelTooLong, .hostTooLong, .space, .character,
                .userinfo:
                .host
            case .empty, .tooLong, .surroundingSpace, .markup, .json, .severalEntries, .quotes, .buildSetting,
                .placeholder,
                .entitlementKey, .appIdentifier, .noService, .noColon, .twoServices:
                .form
            }
    }
}
