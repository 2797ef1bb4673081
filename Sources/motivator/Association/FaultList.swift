import AssociatedDomains
import MotivatorPlatform

/// The list of the hosts that are broken on purpose, as a table or as a test of another validator.
struct FaultList {
    let list: CheckFaults.List
    /// The server that provides the list.
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
        """
        \(Self.quote(origin))

        import pytest

        # Define two fixtures in conftest.py. Each returns a function:
        # - validator(url, app) returns "associated", "denied" or "retry" for the file at the URL. An app of Android is
        #   PACKAGE=FINGERPRINT.
        # - opener(file, url) returns the app that opens the URL according to the file at the first URL, or "browser".

        HOSTS = [
        \(hosts.map { "    pytest.param(\($0.map(Self.quote).dropFirst().joined(separator: ", ")), id=\(Self.quote($0[0]))),\n" }.joined())]

        LINKS = [
        \(links.map { "    (\($0.map(Self.quote).joined(separator: ", "))),\n" }.joined())]


        @pytest.mark.parametrize(("url", "app", "expected"), HOSTS)
        def test_host(validator, url, app, expected):
            verdict = validator(url, app)
            # No source settles an unproven verdict.
            assert verdict == expected or expected == "unproven"


        @pytest.mark.parametrize(("file", "url", "expected"), LINKS)
        def test_link(opener, file, url, expected):
            opened = opener(file, url)
            assert opened == expected or expected == "unproven"

        """
    }

    /// A Java class with a test for each host and for each URL.
    var junit: String {
        func arguments(_ rows: [[String]]) -> String {
            rows.map { "            arguments(\($0.map(Self.quote).joined(separator: ", ")))" }.joined(separator: ",\n")
        }
        return """
            // \(Self.quote(origin))

            import static org.junit.jupiter.api.Assertions.assertEquals;
            import static org.junit.jupiter.params.provider.Arguments.arguments;

            import java.util.stream.Stream;
            import org.junit.jupiter.params.ParameterizedTest;
            import org.junit.jupiter.params.provider.*;

            /** Extend this class, and call the validator in its two abstract methods. */
            abstract class FaultsTest {
                /** Returns "associated", "denied" or "retry" for the file at the URL. */
                abstract String verdict(String url, String app) throws Exception;

                /** Returns the app that opens the URL according to the file, or "browser". */
                abstract String opener(String file, String url) throws Exception;

                /** Accepts any result if no source settles it. */
                static void check(String expected, String actual) {
                    if (!expected.equals("unproven")) assertEquals(expected, actual);
                }

                @ParameterizedTest(name = "{0}")
                @MethodSource("hosts")
                void host(String name, String url, String app, String expected) throws Exception {
                    check(expected, verdict(url, app));
                }

                @ParameterizedTest(name = "{1}")
                @MethodSource("links")
                void link(String file, String url, String expected) throws Exception {
                    check(expected, opener(file, url));
                }

                static Stream<Arguments> hosts() {
                    return Stream.of(
            \(arguments(hosts)));
                }

                static Stream<Arguments> links() {
                    return Stream.of(
            \(arguments(links)));
                }
            }

            """
    }

    /// The name, the URL, the app and the verdict of each host.
    private var hosts: [[String]] {
        list.hosts.map { [$0.name, $0.url, list.app(of: $0), $0.verdicts[Profile.device.rawValue] ?? ""] }
    }

    /// The URL of the file, the URL of the link, and the app that opens it.
    private var links: [[String]] {
        list.hosts.flatMap { host in (host.links ?? []).map { [host.url, $0.url, $0.opens] } }
    }

    /// Returns a string literal of Python and Java. Both languages have all escape sequences of JSON.
    private static func quote(_ text: String) -> String { JSONText.quote(text) }
}
