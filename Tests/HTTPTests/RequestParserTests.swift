import MotivatorHTTP
import Testing

@Suite("Request parser: every rule, for any split of the bytes")
struct RequestParserTests {
    @Test(
        "Request lines",
        arguments: RequestLineCases.shape + RequestLineCases.methods + RequestLineCases.nonTokens
            + RequestLineCases.versions)
    func requestLines(_ table: ParserCase) { check(table) }

    @Test("Request targets", arguments: TargetCases.origin + TargetCases.absolute + TargetCases.others)
    func targets(_ table: ParserCase) { check(table) }

    @Test("Hosts", arguments: HostCases.presence + HostCases.hosts + HostCases.addresses)
    func hosts(_ table: ParserCase) { check(table) }

    @Test(
        "Field lines",
        arguments: FieldCases.shape + FieldCases.controlsInValues + FieldCases.nonTokensInNames
            + FieldCases.notWhiteSpace)
    func fields(_ table: ParserCase) { check(table) }

    @Test("Content-Length", arguments: LengthCases.lengths)
    func lengths(_ table: ParserCase) { check(table) }

    @Test("Transfer-Encoding", arguments: TransferCodingCases.codings + TransferCodingCases.conflicts)
    func transferCodings(_ table: ParserCase) { check(table) }

    @Test("Chunks", arguments: ChunkCases.sizes + ChunkCases.ends + ChunkCases.extensions)
    func chunks(_ table: ParserCase) { check(table) }

    @Test("Trailers", arguments: TrailerCases.all)
    func trailers(_ table: ParserCase) { check(table) }

    @Test(
        "Limits",
        arguments: LimitCases.lines + LimitCases.heads + LimitCases.trailers + LimitCases.extensions
            + LimitCases.contents)
    func limits(_ table: ParserCase) { check(table) }

    @Test("Pipelines", arguments: PipelineCases.all)
    func pipelines(_ table: ParserCase) { check(table) }

    @Test("Expect and Connection", arguments: ExpectationCases.expectations + ExpectationCases.connections)
    func expectations(_ table: ParserCase) { check(table) }
}
