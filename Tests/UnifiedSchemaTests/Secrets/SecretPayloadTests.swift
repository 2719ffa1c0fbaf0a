// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import SeededRandom
import Testing

@testable import UnifiedSchema

@Suite("Secrets of an entry in a row")
struct SecretPayloadTests {
    private func make(_ json: String, section: UTF8Text = "RefreshToken") throws -> (ParsedEntry, [UInt8]) {
        let result = try parse(json, section: section)
        return (result, payload(result.secrets, of: Array(json.utf8).rawSpan))
    }

    /// The token of a payload as text.
    private func token(_ payload: [UInt8]) throws -> String? {
        guard let token = try SecretPayload.token(in: payload.rawSpan) else { return nil }
        if !token.hasEscapes { return String(decoding: payload[token.range], as: UTF8.self) }
        var failure: SchemaError?
        let bytes = [UInt8](capacity: token.range.count) { output in
            do throws(SchemaError) {
                try SecretPayload.unescape(token, in: payload.rawSpan, into: &output)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test(
        "the token is found among other secrets",
        arguments: [
            #"{"client_id":"c","environment":"e","secret":"tok","session_key":"key"}"#,
            #"{"session_key":"key","client_id":"c","secret":"tok","environment":"e"}"#,
            #"{"session_key":{"k":["key"]},"accessToken":5,"client_id":"c","secret":"t\u006fk","environment":"e"}"#,
        ]
    )
    func found(json: String) throws {
        let (result, payload) = try make(json)
        #expect(result.facts.kind == .refreshToken)
        #expect(try token(payload) == "tok")
        #expect(try SecretPayload.values(in: payload.rawSpan).count == result.facts.secretCount)
    }

    @Test("escapes are resolved into the caller's memory")
    func escapes() throws {
        let (_, payload) = try make(#"{"client_id":"c","environment":"e","secret":"a\"b\\c\u0064\/e"}"#)
        #expect(try token(payload) == "a\"b\\cd/e")
    }

    @Test("a secret that is not text has no token")
    func loneSurrogate() throws {
        let (result, payload) = try make(#"{"client_id":"c","environment":"e","secret":"a\ud800"}"#)
        #expect(result.facts.secretCount == 1)
        #expect(try token(payload) == nil)
    }

    @Test("an opaque entry has one secret and no token")
    func opaque() throws {
        let (result, payload) = try make(#"{"foo":["bar"]}"#)
        let values = try SecretPayload.values(in: payload.rawSpan)
        #expect(values.map { String(decoding: payload[$0], as: UTF8.self) } == [#"{"foo":["bar"]}"#])
        #expect(try token(payload) == nil)
        #expect(result.facts.secretCount == 1)
    }

    @Test("a null is not a secret")
    func null() throws {
        let (result, payload) = try make(#"{"client_id":"c","environment":"e","secret":"s","session_key":null}"#)
        #expect(result.facts.secretCount == 1)
        #expect(result.facts.rawJSON(.sessionKey) == Array("null".utf8))
        #expect(!result.facts.has(.sessionKey))
        #expect(try token(payload) == "s")
    }

    @Test("hostile payloads throw, or give values within their bytes")
    func hostile() throws {
        let (_, whole) = try make(#"{"session_key":"key","client_id":"c","secret":"tok","environment":"e"}"#)
        for end in 0..<whole.count {
            let part = Array(whole[..<end])
            #expect(throws: SchemaError.self) { try SecretPayload.values(in: part.rawSpan) }
            _ = try? token(part)
        }
        var generator = SeededGenerator(stream: 3)
        var read = 0
        for _ in 0..<20_000 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            if let values = try? SecretPayload.values(in: bytes.rawSpan) {
                #expect(values.allSatisfy { $0.lowerBound >= 0 && $0.upperBound <= bytes.count })
                read += 1
            }
            if let text = try? token(bytes) { #expect(text.utf8.count <= bytes.count * 3) }
        }
        #expect((1..<20_000).contains(read), "\(read)")
    }

    @Test("a payload of a newer version is recognised")
    func version() {
        let error = #expect(throws: SchemaError.self) { try SecretPayload.values(in: [2, 0, 255, 0].rawSpan) }
        #expect(error?.code == .unsupportedVersion)
    }
}
