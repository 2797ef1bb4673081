import MotivatorPlatform
import Testing

@testable import SourceJSON

@Suite("The parser continues after an error, with one error for each mistake")
struct RecoveringJSONDocumentTests {
    @Test(
        "All errors have their locations, and the value contains the certain parts",
        arguments: BrokenText.all)
    func reads(_ test: BrokenText) {
        let json = RecoveringJSONDocument(test.bytes)
        #expect(Self.list(json.errors) == test.faults)
        #expect(json.root.map(Self.written) == test.value)
        #expect(json.isComplete == test.isComplete)
    }

    @Test("The locations refer to the text in UTF-8")
    func text() {
        let json = RecoveringJSONDocument(BrokenText.units("[\n  1,\n]", mark: true, isLittle: false))
        #expect(json.text == Array("[\n  1,\n]".utf8))
        #expect(json.errors.last?.location.offset == 5)
    }

    @Test("The parser stops after the maximum number of errors, with the value up to there")
    func limit() {
        let array = { (count: Int) in Array("[1\(String(repeating: " 1", count: count))]".utf8) }
        let all = RecoveringJSONDocument(array(50))
        #expect(
            all.errors.count == RecoveringJSONDocument.maximumErrors && all.isComplete && all.root?.array?.count == 51)
        let many = RecoveringJSONDocument(array(51))
        #expect(many.errors == Array(all.errors))
        #expect(!many.isComplete && many.root?.array?.count == 51)
    }

    @Test("The parser stops at brackets deeper than the limit, with the value up to there")
    func depth() {
        let json = RecoveringJSONDocument(Array("{\"a\":1,\"b\":\(String(repeating: "[", count: 600))".utf8))
        #expect(Self.list(json.errors) == "1:523 tooDeep")
        #expect(json.root?.object?.members.map(\.key) == ["a", "b"] && !json.isComplete)
    }

    @Test("Duplicate keys are found after an error too")
    func duplicates() {
        let json = RecoveringJSONDocument(Array("{\"a\":1 \"a\":2, 'a': 3".utf8))
        #expect(json.duplicateKeys.map(\.second.column) == [8, 15])
    }

    static func list(_ faults: [JSONError]) -> String {
        faults.map { fault in
            let name = Mirror(reflecting: fault).children.first?.label ?? ""
            return "\(fault.location.line):\(fault.location.column) \(name)"
        }.joined(separator: ", ")
    }

    static func written(_ value: JSONValue) -> String {
        switch value.content {
        case .object(let object):
            "{" + object.members.map { JSONText.quote($0.key) + ":" + written($0.value) }.joined(separator: ",") + "}"
        case .array(let elements): "[" + elements.map(written).joined(separator: ",") + "]"
        case .string(let text): JSONText.quote(text)
        case .number(let text): text
        case .boolean(let truth): truth ? "true" : "false"
        case .null: "null"
        }
    }
}
