// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import Testing

@testable import UnifiedSchema

@Suite("Passing over a value in pieces")
struct JSONSkipperTests {
    /// Passes over the value at the start of `bytes`, given first `split` bytes and then the rest.
    private func skip(_ bytes: [UInt8], split: Int) throws(SchemaError) -> Int? {
        var skipper = JSONSkipper()
        let first = try skipper.skip(bytes.rawSpan.extracting(0..<split), from: 0)
        if skipper.isDone { return first }
        let second = try skipper.skip(bytes.rawSpan.extracting(first..<bytes.count), from: 0)
        return skipper.isDone ? first + second : nil
    }

    @Test(
        "a value ends at the same place wherever the pieces part",
        arguments: [
            #"{"a":[1.5e3,"x\u00e9é\\",true,null,{}],"b":{"c":-1,"d":[[],[[]]]}},"#, #""\ud83d\ude00 é \"quoted\"","#,
            "[ [ ] , { } , \"\" ],", "-12.5e+10,", "true,", "null }", "NaN]", #"{"":{"":{"":[]}}}}"#,
        ]
    )
    func everySplit(text: String) throws {
        let bytes = Array(text.utf8)
        for split in 0...bytes.count {
            #expect(try skip(bytes, split: split) == bytes.count - 1 - (text.hasSuffix(" }") ? 1 : 0), "\(split)")
        }
    }

    @Test(
        "what is broken is refused wherever the pieces part",
        arguments: [
            "[1,],", "{\"a\" 1},", "{\"a\":1,},", "{a:1},", "[1}", "{\"a\":1]", "\"\u{1}\",", "\"\\x\",", "tru,",
            "[1 2],",
            "{\"a\":},", "01,", "{1:1},", ",", "]", "[}", "1.,", "\"\\u00g0\",",
        ]
    )
    func broken(text: String) {
        let bytes = Array(text.utf8)
        for split in 0...bytes.count {
            #expect(throws: SchemaError.self, "\(split)") {
                if try skip(bytes, split: split) == nil { throw SchemaError(.unexpectedEnd, at: 0, rule: "over") }
            }
        }
    }

    @Test("letters cut in two are put together, and broken ones are refused")
    func letters() throws {
        for text in ["\"é\",", "\"€\",", "\"😀\","] {
            let bytes = Array(text.utf8)
            for split in 0...bytes.count { #expect(try skip(bytes, split: split) == bytes.count - 1) }
            var broken = bytes
            broken[2] = 0x41
            for split in 0...broken.count {
                #expect(throws: SchemaError.self) { try skip(broken, split: split) }
            }
        }
    }

    @Test("nesting is bounded at the highest depth there is")
    func depth() throws {
        let open = [UInt8](repeating: 0x5B, count: 128)
        let close = [UInt8](repeating: 0x5D, count: 128)
        #expect(try skip(open + close + [0x2C], split: 100) == 256)
        let error = #expect(throws: SchemaError.self) { try skip([0x5B] + open + close + [0x5D], split: 100) }
        #expect(error?.code == .limitExceeded)
    }

    @Test("objects and arrays close as they opened, at any depth")
    func mixed() throws {
        var random = RandomJSON(stream: 5)
        for _ in 0..<100 {
            let depth = random.pick([1, 5, 63, 64, 65, 127])
            let kinds = (0..<depth).map { _ in random.chance(50) }
            let open = kinds.map { $0 ? "{\"a\":" : "[" }.joined()
            let close = kinds.reversed().map { $0 ? "}" : "]" }.joined()
            let text = Array("\(open)0\(close),".utf8)
            #expect(try skip(text, split: text.count / 2) == text.count - 1)
            var wrong = text
            let index = text.count - 2 - Int.random(in: 0..<depth, using: &random.generator)
            wrong[index] = wrong[index] == 0x5D ? 0x7D : 0x5D
            #expect(throws: SchemaError.self) { try skip(wrong, split: text.count / 2) }
        }
    }
}
