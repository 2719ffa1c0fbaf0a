// SPDX-License-Identifier: Apache-2.0

import Testing
import UnifiedSchema

@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("Discovery data is read with care")
struct CloudMetadataTests {
    private func read(_ json: String) throws -> CloudMetadata {
        try CloudMetadata(discoveryJSON: Array(json.utf8))
    }

    static func entry(_ network: String, _ cache: String, _ aliases: [String]) -> String {
        let list = aliases.map { "\"\($0)\"" }.joined(separator: ",")
        return #"{"preferred_network":"\#(network)","preferred_cache":"\#(cache)","aliases":[\#(list)]}"#
    }

    static func document(_ entries: String...) -> String {
        #"{"tenant_discovery_endpoint":"https://x/","api-version":"1.1","metadata":["#
            + entries.joined(separator: ",") + "]}"
    }

    @Test("a response as the servers send it")
    func proper() throws {
        let metadata = try read(Self.document(Self.entry("a.example", "b.example", ["a.example", "C.Example:8443"])))
        #expect(metadata.clouds.map(\.hosts) == [["a.example", "c.example:8443", "b.example"]])
        #expect(try read(Self.document()).clouds.isEmpty)
    }

    static let refused: [String] = [
        "", "[]", "{}", #"{"metadata":{}}"#, #"{"metadata":[1]}"#, #"{"metadata":[{}]}"#, "{",
        #"{"metadata":[{"preferred_network":"a","preferred_cache":"b"}]}"#,
        #"{"metadata":[{"preferred_network":"a","preferred_cache":1,"aliases":[]}]}"#,
        #"{"metadata":[{"preferred_network":"a","preferred_cache":"b","aliases":[null]}]}"#,
        document(entry("a/b", "a", [])), document(entry("", "a", [])), document(entry("a", "a", ["user@a"])),
        document(entry("a", "a", ["a b"])), document(entry("a", "a..b", [])), document(entry("-a", "a", [])),
        document(entry("a", "a", ["a:b"])), document(entry("a", "a", ["a:"])), document(entry("a", "a", ["a:1:2"])),
        document(entry("a", "a", ["ä.example"])), document(entry("a", "a", [String(repeating: "a", count: 64)])),
        document(entry("a", "a", (0...64).map { "h\($0)" })),
        // The preferred hosts are of the cloud, too.
        document(entry("a", "b", (0..<64).map { "h\($0)" })), document(entry("a", "a", (0..<64).map { "h\($0)" })),
        #"{"metadata":["# + (0...64).map { _ in entry("a", "a", []) }.joined(separator: ",") + "]}",
        String(repeating: "[", count: 1000),
    ]

    @Test("an invalid response is refused as a whole", arguments: refused)
    func isRefused(json: String) throws {
        let error = #expect(throws: TokenCacheError.self) { try read(json) }
        #expect(error?.code == (json.hasPrefix("[[") ? .tooLarge : .malformedDocument))
    }

    @Test("a response beyond the limit is not even read")
    func tooLarge() throws {
        let json = Self.document() + String(repeating: " ", count: CloudMetadata.maximumByteCount)
        let error = #expect(throws: TokenCacheError.self) { try read(json) }
        #expect(error?.code == .tooLarge)
    }
}
