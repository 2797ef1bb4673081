import AssociatedDomains
import MotivatorPlatform
import TestSupport
import Testing

@testable import SourceJSON

@Suite("Hostile lists of entitlements are read or rejected")
struct EntitlementsHostileTests {
    typealias Builder = BinaryListBuilder

    @Test("A binary list that refers to itself is rejected")
    func cycles() {
        let key = Builder.ascii(Entitlements.key)
        let inArray = Builder(objects: [[0xD1, 1, 2], key, Builder.array([2, 0, 3]), Builder.ascii("applinks:a.com")])
        #expect(throws: Entitlements.Failure.self) { try Entitlements(inArray.bytes) }
        let inDictionary = Builder(objects: [[0xD1, 1, 0], key])
        #expect(throws: Entitlements.Failure.self) { try Entitlements(inDictionary.bytes) }
    }

    @Test("A binary list with a set is rejected", arguments: [0xB0, 0xC0] as [UInt8])
    func sets(_ kind: UInt8) {
        // Foundation cannot convert this set: a dictionary with a Boolean as its key is not hashable.
        let list = Builder(objects: [
            [0xD1, 1, 2], Builder.ascii(Entitlements.key), [kind | 1, 3], [0xD1, 4, 4], [0x09],
        ])
        #expect(throws: Entitlements.Failure.self) { try Entitlements(list.bytes) }
    }

    @Test("The same string twice in a binary list is one object, as encoders write it")
    func shared() throws {
        let list = Builder(
            objects: [
                Builder.dictionary([(1, 2)]), Builder.wide(Entitlements.key), Builder.array([3, 3]),
                Builder.ascii("applinks:a.com"),
            ])
        #expect(try Entitlements(list.bytes).issues.map(\.kind) == [.duplicate])
    }

    @Test("As many entries as fit are read, each with its location")
    func many() throws {
        let count = 20_000
        let strings = (0..<count).map { _ in "<string/>" }.joined()
        let list = try Entitlements(EntitlementsTests.list("<array>\(strings)</array>"))
        #expect(list.entries.count == count)
        #expect(list.entries.last?.location?.column == list.entries.last?.location.map { $0.offset + 1 })
    }

    @Test("A DOCTYPE that declares entities is rejected")
    func laughs() {
        let text = """
            <!DOCTYPE plist [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;">]>
            <plist><dict><key>&b;</key><true/></dict></plist>
            """
        #expect(throws: Entitlements.Failure.self) { try Entitlements(Array(text.utf8)) }
    }

    @Test(
        "Every beginning of a list is rejected",
        arguments: [Array(EntitlementsTests.xml.utf8), EntitlementsTests.binary])
    func beginnings(_ bytes: [UInt8]) {
        // The XML list is complete before its last line break.
        for length in 0..<(bytes.count - 1) {
            #expect(throws: Entitlements.Failure.self) { try Entitlements(Array(bytes.prefix(length))) }
        }
    }

    @Test(
        "A list with random edits is read or rejected",
        arguments: [Array(EntitlementsTests.xml.utf8), EntitlementsTests.binary], [UInt64(1), 2, 3])
    func edits(_ original: [UInt8], seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var (read, refused) = (0, 0)
        for _ in 0..<400 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let index = Int.random(in: 0..<bytes.count, using: &generator)
                let extremes: [UInt8] = [0, 1, 0x0F, 0x13, 0x5F, 0x6F, 0x7F, 0x80, 0xAF, 0xDF, 0xFF, 0x3C, 0x3E, 0x26]
                let byte =
                    Bool.random(using: &generator)
                    ? extremes.randomElement(using: &generator) ?? 0 : UInt8.random(in: 0...255, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: bytes.insert(byte, at: index)
                case 1: bytes.remove(at: index)
                case 2: bytes.removeSubrange(index..<min(bytes.count, index + Int(byte) / 4))
                default: bytes[index] = byte
                }
                if bytes.isEmpty { bytes = [byte] }
            }
            do throws(Entitlements.Failure) {
                let list = try Entitlements(bytes)
                read += 1
                #expect(list.entries.allSatisfy { ($0.location?.offset ?? 0) <= bytes.count })
            } catch {
                refused += 1
                #expect((error.location?.offset ?? 0) <= bytes.count)
                #expect(error.description.utf8.count < 1_000 && !error.description.contains("\n"))
            }
        }
        #expect(read > 0 && refused > 0, "the edits must produce valid and invalid lists")
    }
}
