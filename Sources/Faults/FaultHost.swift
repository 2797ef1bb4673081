package import AssociatedDomains
import MotivatorHTTP
import MotivatorServer
import MotivatorTLS

/// A host that is broken on purpose: it serves the demo's association file with one fault.
package struct FaultHost: Sendable {
    /// The broken part of a host.
    package enum Group: String, Sendable, CaseIterable {
        case tls = "TLS"
        case http = "HTTP"
        case file = "File"
        case signature = "Signature"
    }

    /// A device's expected verdict on the app and the host.
    package enum Expectation: String, Sendable {
        case associated, denied, retry
        /// No source settles the verdict. A checker may report any verdict, but must mark it as unproven.
        case unproven
    }

    /// A code that the checker reports, in camel case: `appNotListed` is `app-not-listed`.
    package enum Code: Sendable, CaseIterable {
        case appListedElsewhere, appLowerCasePrefix, appNoPrefix, appNotAString, appNotListed, appOtherCase,
            appOtherPrefix, appSurroundingSpace, appWildcard, appsEmpty, appsNotAnArray
        case fileAssetlinks, fileNotAnObject, filePem, fileSmimeText, fileTooLarge
        case httpContentEncoding, httpContentType, httpRedirect, httpRedirectInsecure, httpRedirectLoop,
            httpSignedContentType, httpStatusAccessDenied, httpStatusRefused, httpStatusServerError,
            httpStatusWithoutFile
        case jsonByteOrderMark, jsonComment, jsonCutOff, jsonDuplicateKey, jsonEmpty, jsonEncoding, jsonHtml,
            jsonRichText, jsonSingleQuote, jsonTooDeep, jsonTrailingComma, jsonTypographicQuote
        case linksWithoutDetails
        case networkClosed, networkTimedOut
        case pathContentsDiffer, pathOnlyRoot, pathOnlyWellKnown
        case serviceMissing, serviceMisspelt, serviceUnknown
        case signatureBad, signatureDetached, signatureMalformed, signatureMissing, signatureWithoutSigner
        case signerCertificateMissing, signerExpired, signerIncompleteChain, signerNotYetValid, signerSelfSigned,
            signerUntrusted, signerWeak, signerWrongDomain, signerWrongPurpose
        case tlsExpired, tlsIncompleteChain, tlsNoAlternativeName, tlsNoExtendedKeyUsage, tlsNotYetValid, tlsSelfSigned,
            tlsTooOld, tlsUntrustedRoot, tlsValidTooLong, tlsWeakDigest, tlsWeakKey, tlsWrongHost

        package var text: String {
            "\(self)".reduce(into: "") { $0 += $1.isUppercase ? "-\($1.lowercased())" : "\($1)" }
        }
    }

    /// The app to which the verdicts apply.
    package static let app = "D3KQX62K1A.com.example.DemoApp"

    package let name: String
    package let group: Group
    package let summary: String
    /// The expected verdicts, in the order of `Profile.allCases`.
    private let verdicts: [Expectation]
    /// The codes that the checker reports for the host, sorted.
    package let issues: [Code]
    package let note: String?
    /// Creates the responses and the certificate of the host.
    let build: @Sendable (Workshop) throws -> BrokenHost

    /// - Parameters:
    ///   - verdicts: the verdicts for the profiles device, documented, ios9 and ios8, each as one letter: A
    ///     (associated), D (denied), R (a device retries) or ? (unproven).
    init(
        _ group: Group, _ name: String, _ summary: String, _ verdicts: String, _ issues: [Code], note: String? = nil,
        build: @escaping @Sendable (Workshop) throws -> BrokenHost
    ) {
        (self.group, self.name, self.summary) = (group, name, summary)
        self.verdicts = verdicts.map { letter in
            switch letter {
            case "A": .associated
            case "D": .denied
            case "R": .retry
            case _: .unproven
            }
        }
        (self.issues, self.note, self.build) = (issues, note, build)
    }

    package func verdict(_ profile: Profile) -> Expectation {
        zip(Profile.allCases, verdicts).first { $0.0 == profile }?.1 ?? .unproven
    }

    /// Returns the name of the host on a server.
    package func host(on domain: String) -> String { "\(name).faults.\(domain)" }

    /// All hosts, in the order of the documentation.
    package static let all = tls + http + file + signature
}

/// The responses and the TLS handshake of a broken host.
struct BrokenHost: Sendable {
    /// Responds to requests for one path.
    typealias Reply = @Sendable (Request) async -> Response

    var wellKnown: Reply
    var root: Reply
    var others: [String: Reply] = [:]
    var handshake = Handshake.valid
}

/// The TLS handshake of a broken host.
enum Handshake: Sendable {
    /// A handshake with the certificate that all intact hosts share.
    case valid
    /// A handshake with the host's own certificate, which clients must reject.
    case certificate(TLSContext)
    /// A handshake that allows only old TLS versions.
    case outdated(TLSContext)
    /// A handshake that never completes.
    case stall
    /// A handshake that ends when the server closes the connection after the client hello.
    case close
}
