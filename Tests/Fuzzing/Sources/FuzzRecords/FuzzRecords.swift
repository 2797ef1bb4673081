import Foundation
import FuzzSupport
import MotivatorPlatform

@testable import Accounts

/// A folder for files, in memory if the system supports it, because each input writes two files.
private let folder = FileManager.default.fileExists(atPath: "/dev/shm") ? "/dev/shm" : NSTemporaryDirectory()
private let input = "\(folder)/FuzzRecords.\(getpid()).input"
private let output = "\(folder)/FuzzRecords.\(getpid()).output"

/// Parses arbitrary bytes as exported records. An export of the accepted records must reproduce an accepted file.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRecords(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    // Without a fixed header, hardly any mutation would reach the records.
    var (records, summary) = read(Array("\(RecordFormat.header)\n".utf8) + bytes, named: input)
    _ = read(bytes, named: input)
    guard !records.isEmpty || summary != nil else { return 0 }
    let written = write(records)
    if let summary { require(summary == written, "an accepted file has a different summary: \(summary), \(written)") }
    let first = records
    guard let content = FileManager.default.contents(atPath: output) else { fatalError("the export is missing") }
    (records, summary) = read(Array(content), named: output)
    require(records == first, "exported records differ after an import")
    require(summary == written, "an export is rejected")
    return 0
}

/// Returns the accepted records, and the summary if the whole file is valid.
private func read(_ bytes: [UInt8], named path: String) -> ([StoreRecord], RecordSummary?) {
    guard FileManager.default.createFile(atPath: path, contents: Data(bytes)) else { fatalError("no file at \(path)") }
    var records: [StoreRecord] = []
    do {
        let reader = try RecordReader(path)
        while let record = try reader.next() { records.append(record) }
        return (records, reader.summary)
    } catch {
        guard let error = error as? ExplainedFailure else { fatalError("unexpected error: \(error)") }
        require(!error.problem.isEmpty && !error.fix.isEmpty, "an error has no problem or fix")
        return (records, nil)
    }
}

private func write(_ records: [StoreRecord]) -> RecordSummary {
    do {
        let writer = try RecordWriter(output)
        try writer.write(records)
        return try writer.finish()
    } catch { fatalError("the records cannot be exported: \(error)") }
}
