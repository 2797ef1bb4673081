import Accounts
import HTTPTypes
import MotivatorHTTP
import MotivatorPlatform
import MotivatorServer

extension Request {
    var client: ClientAddress { ClientAddress(peer.address.bytes) }

    /// Returns whether Content-Type is this type, with UTF-8 or no charset.
    func hasContent(of type: String) -> Bool {
        let parts = (head.text(.contentType) ?? "").lowercased().split(separator: ";", omittingEmptySubsequences: false)
            .map { $0.withoutSpaces }
        guard parts.first == type else { return false }
        return parts.dropFirst().allSatisfy { part in
            !part.hasPrefix("charset=") || ["charset=utf-8", "charset=\"utf-8\""].contains(part)
        }
    }
}

extension StringProtocol {
    /// The text without spaces and tabs at both ends (OWS, RFC 9110 §5.6.3).
    var withoutSpaces: String { trimming { $0 == " " || $0 == "\t" } }
}
