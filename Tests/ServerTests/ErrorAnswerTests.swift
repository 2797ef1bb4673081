import HTTP
import HTTPTypes
import Testing

@testable import Server

@Suite("Answers to requests that fail") struct ErrorAnswerTests {
    @Test("No failure is stored, from the first status of failures to the last", arguments: [400, 401, 499, 500, 599])
    func failure(status: Int) {
        #expect(ErrorAnswer.make(status, "It failed.", for: nil).fields[.cacheControl] == "no-store")
    }

    @Test("A redirect is no failure")
    func redirect() {
        #expect(ErrorAnswer.make(308, "It is there.", for: nil).fields[.cacheControl] == nil)
    }
}
