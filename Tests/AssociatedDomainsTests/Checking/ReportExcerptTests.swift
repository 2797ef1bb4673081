import MotivatorPlatform
import SourceJSON
import Testing

@testable import AssociationChecker

@Suite("The excerpt of a text report") struct ReportExcerptTests {
    @Test("A short line is shown whole, with a caret below the column, at the start, inside and at the end")
    func short() {
        let text = Array("{\r\n  \"é\": 'x'\n}".utf8)
        func excerpt(_ line: Int, _ column: Int, _ offset: Int) -> [String] {
            ReportText.excerpt(of: text, at: SourceLocation(line: line, column: column, offset: offset), width: 80)
        }
        #expect(excerpt(1, 1, 0) == ["1 | {", "  | ^"])
        #expect(excerpt(2, 8, 11) == ["2 |   \"é\": 'x'", "  |        ^"])
        #expect(excerpt(2, 11, 14) == ["2 |   \"é\": 'x'", "  |           ^"])
        #expect(excerpt(3, 2, 16) == ["3 | }", "  |  ^"])
        #expect(excerpt(4, 1, 99) == ["4 | }", "  |  ^"], "a location after the text is at its end")
    }

    @Test("With a limit, at most this many characters are before the caret")
    func front() {
        let text = Array((String(repeating: "a", count: 40) + "X" + String(repeating: "b", count: 40)).utf8)
        let location = SourceLocation(line: 1, column: 41, offset: 40)
        let lines = ReportText.excerpt(of: text, at: location, width: 26, front: 12)
        #expect(lines == ["1 | …aaaaaaaaaaaaXbbbbbbb…", "  |              ^"])
    }

    @Test(
        "An excerpt of a long line shows the same part as the whole line does, wherever the location is",
        arguments: ["a", "é", "字", "🏔", "ab é字🏔"])
    func long(_ piece: String) {
        let line = String(repeating: piece, count: 3_000).unicodeScalars
        let text = Array("{\n".utf8) + Array(String(line).utf8) + Array("\n}".utf8)
        var offset = 2
        for (column, scalar) in line.enumerated() {
            if column < 100 || column > line.count - 100 || column % 97 == 0 {
                let location = SourceLocation(line: 2, column: column + 1, offset: offset)
                let lines = ReportText.excerpt(of: text, at: location, width: 60)
                // 54 characters fit beside the number and the two marks.
                let start = max(0, min(column - 27, line.count - 54))
                let shown = String(String.UnicodeScalarView(line.dropFirst(start).prefix(54)))
                let expected = "2 | \(start > 0 ? "…" : "")\(shown)\(start + 54 < line.count ? "…" : "")"
                #expect(lines.first == expected, "column \(column)")
            }
            offset += String(scalar).utf8.count
        }
    }
}
