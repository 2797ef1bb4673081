import AssociatedDomains
import HTTPSClient
import Platform

/// Judges what a site answered at one place, before the file itself is looked at.
struct VisitJudge {
    /// What has been found so far.
    private(set) var findings: [Finding] = []
    /// The file that came, for the readings that take it.
    private(set) var delivered: [Delivered] = []

    /// A file that came.
    struct Delivered {
        package let content: [UInt8]
        let contentType: String?
        package let subject: String
        package var readings: Set<Reading>
    }

    private let visit: Visit
    /// Whether the app's entry has a mode, so that a device asks the host itself.
    private let isStraight: Bool
    /// Whether it is a device in developer mode that asks.
    private let isForDevelopers: Bool

    /// - Parameters:
    ///   - visit: what was found at the place.
    ///   - entries: the app's entries about the site.
    init(_ visit: Visit, entries: [AssociatedDomain]) {
        self.visit = visit
        isStraight = entries.areStraight
        isForDevelopers = entries.areForDevelopers
        for (index, hop) in visit.hops.enumerated() {
            // Only a device with a mode goes on after a redirect.
            judge(hop, in: index == 0 ? Set(Reading.allCases) : [.device])
        }
        noteLoop()
    }

    private mutating func judge(_ hop: Visit.Hop, in readings: Set<Reading>) {
        let subject = hop.url.description
        var noted: [Finding] = []
        if let chain = hop.chain { noted += Finding.all(chain, in: subject, isForDevelopers: isForDevelopers) }
        if let address = hop.fetched.address, !hop.isSteered, !isStraight, address.isPrivate || address.isLoopback {
            noted.append(
                Finding(
                    NetworkRule.privateAddress, "the host \(hop.url.host) has the private address \(address.host)",
                    remedy: "Add ?mode=developer to the entry for development, or give the host a public address",
                    in: subject))
        }
        if let failure = hop.fetched.failure { noted.append(Finding(failure, in: subject)) }
        if let response = hop.fetched.response, hop.fetched.failure.map(\.isOfSize) ?? true {
            noted += judge(response, of: hop, readings)
        }
        findings += noted.map { $0.only(in: readings) }
    }

    private mutating func judge(
        _ response: FetchedResponse, of hop: Visit.Hop, _ readings: Set<Reading>
    ) -> [Finding] {
        let subject = hop.url.description
        var noted: [Finding] = []
        if let reason = response.first("apple-failure-reason") {
            noted.append(cdnFailure(reason, details: response.first("apple-failure-details"), subject))
        }
        if let target = hop.redirect { return noted + [redirect(response.status, to: target, hop.url)] }
        var takers = readings
        switch response.status {
        case 200: break
        case 300...499: noted.append(refused(response.status, subject))
        case 500...599: noted.append(serverError(response, subject))
        case let status: noted.append(withoutFile(status, subject))
        }
        if response.status != 200 {
            takers = isStraight && isParsed(response.status) ? takers.intersection([.device]) : []
        }
        noted += judgeCoding(response, subject)
        if !takers.isEmpty {
            delivered.append(
                Delivered(
                    content: response.uncoded, contentType: response.first("content-type"), subject: subject,
                    readings: takers))
        }
        return noted
    }

    /// A device that asks the host itself reads any answer that is not from 400 to 499.
    private func isParsed(_ status: Int) -> Bool { !(400...499).contains(status) }

    private func refused(_ status: Int, _ subject: String) -> Finding {
        var finding = Finding(
            HTTPRule.refused, "the answer has status \(status)",
            remedy: status == 401 || status == 403
                ? "Serve the file to everybody: without a password, a cookie, or a filter on addresses and programs"
                : "Serve the file there with status 200", in: subject)
        if isStraight, isParsed(status) { finding.consequences.device = .note }
        return finding
    }

    private func withoutFile(_ status: Int, _ subject: String) -> Finding {
        var finding = Finding(
            HTTPRule.noContent, "the answer has status \(status)", remedy: "Answer with status 200 and the file",
            in: subject)
        if isStraight { finding.consequences.device = .note }
        return finding
    }

    private func serverError(_ response: FetchedResponse, _ subject: String) -> Finding {
        let wait = response.first("retry-after").map { ", Retry-After: \($0.excerpt)" } ?? ""
        var finding = Finding(
            HTTPRule.serverError, "the answer has status \(response.status)\(wait)",
            remedy: "See in the server's log what fails; the file needs no program, it can be static", in: subject)
        if isStraight { finding.consequences.device = .note }
        return finding
    }

    private func redirect(_ status: Int, to target: String, _ url: WebURL) -> Finding {
        let message = "the answer is a redirect (\(status)) to \(target.excerpt)"
        let remedy = "Serve the file itself at this URL, and except its path from the redirect"
        let subject = url.description
        let resolved = try? url.resolving(target)
        if resolved == url {
            return Finding(HTTPRule.redirectLoop, message + ", which is itself", remedy: remedy, in: subject)
        }
        if resolved?.scheme == "http" {
            return Finding(HTTPRule.redirectInsecure, message, remedy: remedy, in: subject)
        }
        return Finding(
            isStraight && resolved != nil ? HTTPRule.redirectFollowed : HTTPRule.redirect, message, remedy: remedy,
            in: subject)
    }

    /// The last request was answered with one more redirect to https: the caller stopped following.
    private mutating func noteLoop() {
        guard isStraight, visit.hops.count > 1, let last = visit.hops.last, let target = last.redirect,
            (try? last.url.resolving(target))?.scheme == "https"
        else { return }
        findings.append(
            Finding(
                HTTPRule.redirectLoop, "after \(visit.hops.count) redirects there is one more, to \(target.excerpt)",
                remedy: "Serve the file itself at its place", in: visit.hops[0].url.description
            ).only(in: [.device]))
    }

    private func judgeCoding(_ response: FetchedResponse, _ subject: String) -> [Finding] {
        guard let coding = response.coding else { return [] }
        return [
            Finding(
                HTTPRule.contentEncoding,
                "the file is sent with Content-Encoding: \(coding.excerpt), which nobody asked for",
                remedy: "Compress it only for those who send Accept-Encoding", in: subject)
        ]
    }

    private func cdnFailure(_ reason: String, details: String?, _ subject: String) -> Finding {
        let known = [
            "SWCERR00101": "The CDN got an answer other than 200 from the host: check the host itself",
            "SWCERR00202": "The host's address is private: use ?mode=developer, or a public address",
            "SWCERR00301": "The host did not answer the CDN in time: see whether it keeps out programs or countries",
            "SWCERR00401": "The host's file is no JSON: check the host itself",
        ]
        let remedy = known.first { reason.hasPrefix($0.key) }?.value ?? "Check the host itself"
        let more = details.map { " (\($0.excerpt))" } ?? ""
        return Finding(
            NetworkRule.cdn, "the CDN says \(reason.excerpt)\(more)", remedy: remedy, in: subject)
    }
}

extension FetchedResponse {
    /// The coding of the content, when it has one.
    fileprivate var coding: String? {
        first("content-encoding").flatMap { $0.lowercased() == "identity" ? nil : $0 }
    }

    /// The content without its coding; as it was sent when the coding is not known here.
    fileprivate var uncoded: [UInt8] {
        let limit = SiteAssociation.maximumSize + 1
        return coding.flatMap { Inflation.undo(content, coding: $0, limit: limit) } ?? content
    }
}
