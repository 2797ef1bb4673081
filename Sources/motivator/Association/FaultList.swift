import AssociatedDomains
import MotivatorPlatform

/// The list of the hosts that are broken on purpose, as a table or as a test of another validator.
struct FaultList {
    let list: CheckFaults.List
    let server: String

    /// The origin of the list, as one line without a line break of the server.
    private var origin: String {
        "\(list.hosts.count) hosts of \(server), motivator \(list.version), file \(list.association.sha256)".printable
    }

    /// Tab-separated values: a row for each host, and a row for each URL with the app that opens it.
    var tsv: String {
        let header =
            ["name", "group", "url", "app"] + Profile.allCases.map(\.rawValue) + ["opens", "issues", "summary"]
        let rows = list.hosts.flatMap { host in
            let app = list.app(of: host)
            let verdicts = Profile.allCases.map { host.verdicts[$0.rawValue] ?? "" }
            let own = [host.name, host.group, host.url, app] + verdicts
            let none = verdicts.map { _ in "" }
            return [own + ["", host.issues.joined(separator: " "), host.summary]]
                + (host.links ?? []).map { [host.name, host.group, $0.url, app] + none + [$0.opens, "", ""] }
        }
        return "# \(origin)\n"
            + ([header] + rows).map { $0.map(\.printable).joined(separator: "\t") + "\n" }.joined()
    }

    /// A Python module with a test for each host and for each URL.
    var pytest: String {
        let hosts = hosts.map { host in
            let values = host.dropFirst().map(JSONText.quote).joined(separator: ", ")
            return "    pytest.param(\(values), id=\(JSONText.quote(host[0]))),\n"
        }
        let links = links.map { "    (\($0.map(JSONText.quote).joined(separator: ", "))),\n" }
        return filled(PackageResources.pytest_template, hosts.joined(), links.joined())
    }

    /// A Java class with a test for each host and for each URL.
    var junit: String {
        func arguments(_ rows: [[String]]) -> String {
            rows.map { "            arguments(\($0.map(JSONText.quote).joined(separator: ", ")))" }
                .joined(separator: ",\n")
        }
        return filled(PackageResources.junit_template, arguments(hosts), arguments(links))
    }

    /// Returns a test from a template. Python and Java have all escape sequences of JSON.
    private func filled(_ template: [UInt8], _ hosts: String, _ links: String) -> String {
        String(decoding: template, as: UTF8.self)
            .filled(["origin": JSONText.quote(origin), "hosts": hosts, "links": links])
    }

    /// The name, the URL, the app and the verdict of each host.
    private var hosts: [[String]] {
        list.hosts.map { [$0.name, $0.url, list.app(of: $0), $0.verdicts[Profile.device.rawValue] ?? ""] }
    }

    /// The URL of the file, the URL of the link, and the app that opens it.
    private var links: [[String]] {
        list.hosts.flatMap { host in (host.links ?? []).map { [host.url, $0.url, $0.opens] } }
    }
}
