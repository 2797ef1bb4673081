import MotivatorPlatform
import Testing

@testable import motivator

@Suite("The results of a script in formats for test programs") struct ScriptReportTests {
    /// Three commands. The second contains a character that each format escapes.
    private func report(results: Int, failure: String? = nil) throws -> ScriptReport {
        let script = "passwords\nsave --domain example.com --account \"<ray> #1\" --delete\n\nassociations"
        var report = ScriptReport(name: "a & b.device", steps: try DeviceScript(Array(script.utf8)).steps)
        report.results = Array(repeating: DeviceResult(lines: ["one & two"], json: [:]), count: results)
        report.failure = failure
        return report
    }

    private func text(_ report: ScriptReport, _ format: ScriptReport.Format) -> String {
        String(decoding: report.bytes(format), as: UTF8.self)
    }

    @Test("TAP has a plan, and a line for each command")
    func tap() throws {
        #expect(
            text(try report(results: 3), .tap) == ##"""
                TAP version 14
                1..3
                ok 1 - line 1: passwords
                ok 2 - line 2: save --domain example.com --account "<ray> \#1" --delete
                ok 3 - line 4: associations

                """##)
        #expect(
            text(try report(results: 2, failure: "line 3:\nno \"x\""), .tap) == ##"""
                TAP version 14
                1..3
                ok 1 - line 1: passwords
                not ok 2 - line 2: save --domain example.com --account "<ray> \#1" --delete
                  ---
                  message: "line 3:\nno \"x\""
                  ...
                ok 3 - line 4: associations # SKIP the script stopped before this command

                """##)
    }

    @Test("JUnit has a case for each command, with its output")
    func junit() throws {
        let passed = text(try report(results: 3), .junit)
        #expect(
            passed.contains(
                #"<testsuite name="a &amp; b.device" tests="3" failures="0" errors="0" skipped="0">"#))
        #expect(passed.split(separator: "<system-out>one &amp; two</system-out>").count == 4)
        #expect(passed.contains("&quot;&lt;ray&gt; #1&quot;"))
        let failed = text(try report(results: 2, failure: "no \"x\""), .junit)
        #expect(
            failed.contains(
                #"<testsuite name="a &amp; b.device" tests="3" failures="1" errors="0" skipped="1">"#))
        #expect(failed.contains(#"<failure message="no &quot;x&quot;">one &amp; two</failure></testcase>"#))
        #expect(failed.split(separator: "<skipped ").count == 2)
    }

    @Test("A script without commands is a report without tests")
    func empty() {
        let report = ScriptReport(name: "-", steps: [])
        #expect(text(report, .tap) == "TAP version 14\n1..0\n")
        #expect(text(report, .junit).contains(#"tests="0""#))
        #expect(text(report, .text).isEmpty)
    }
}
