// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import Testing

@testable import UnifiedSchema

/// Cases in the manner of the well-known collections of JSON corner cases, each under the rule that it is about.
@Suite("JSON corner cases")
struct JSONVectorTests {
    /// Texts, and the offset of the first byte that breaks a rule; nil for those that break none.
    static let structureCases: [(String, Int?)] = [
        ("[[]   ]", nil), ("[]\n", nil), ("[null, 1, \"1\", {}]", nil), ("[1\n]", nil), (" [1]", nil), ("[2] ", nil),
        ("[1,null,null,null,2]", nil), ("[false]", nil), ("{\"a\":[]}", nil), ("{\"\":0}", nil), ("{\"a\":\"b\"}", nil),
        ("{\n\"a\": \"b\"\n}", nil), ("{\"min\":-1.0e+28,\"max\":1.0e+28}", nil), ("\"\"", nil), ("42", nil),
        ("-0.1", nil),
        ("[1 true]", 3), ("[\"\": 1]", 3), ("[\"\"],", 4), ("[1,,2]", 3), ("[,1]", 1), ("[1,,]", 3), ("[\"x\"]]", 5),
        ("[\"\",]", 4), ("[3[4]]", 2), ("[1:2]", 2), ("[,]", 1), ("[-]", 2), ("[   , \"\"]", 4), ("[1,]", 3),
        ("[*]", 1),
        ("{\"x\"::\"b\"}", 5), ("{\"a\" b}", 5), ("{:\"b\"}", 1), ("{\"a\":}", 5), ("{\"a\", \"b\"}", 4), ("{1:1}", 1),
        ("{\"id\":0,,}", 8), ("{'a':0}", 1), ("{\"id\":0,}", 8), ("{a: \"b\"}", 1), ("{\"a\":\"a", 7),
        ("{\"a\":0}#", 7),
        ("{\"a\":0}//", 7), ("{\"b\":0}{", 7), ("{[: \"x\"}", 1), ("{null:null}", 1), ("{\"a\":/*x*/0}", 5),
        ("<null>", 0),
        ("[<null>]", 1), ("[a", 1), ("{\"a\":true} \"x\"", 11), ("[1]x", 3), ("{]", 1), ("[}", 1), ("[\"a\"}", 4),
        ("{\"a\":[}", 6), ("[\u{200B}]", 1), ("[\u{C}]", 1), ("\u{2060}[]", 0), ("[True]", 1), ("[FALSE]", 1),
        ("[nul]", 1),
        ("[truth]", 1), ("å", 0), ("[1]\u{0}", 3), ("[undefined]", 1), ("[{}{}]", 3), ("{\"a\":1:2}", 6), ("]", 0),
    ]

    static let numbersCases: [(String, Int?)] = [
        ("[123e65]", nil), ("[0e+1]", nil), ("[0e1]", nil), ("[ 4]", nil), ("[-0]", nil), ("[-123]", nil),
        ("[1E22]", nil),
        ("[1E-2]", nil), ("[123.456e78]", nil), ("[123.456789]", nil), ("[20e1]", nil), ("[0.1]", nil),
        ("[-0.000000000000000000000000000000000000000000000000000000001]", nil), ("[1e9999999999]", nil),
        ("[-1.]", 4), ("[+1]", 1), ("[-01]", 2), ("[0.e1]", 3), ("[0.3e]", 5), ("[0.3e+]", 6), ("[0E]", 3),
        ("[1.0e-]", 6),
        ("[1 000.0]", 3), ("[1eE2]", 3), ("[2.e+3]", 3), ("[.123]", 1), ("[1+2]", 2), ("[0x1]", 2), ("[0x42]", 2),
        ("[-foo]", 2), ("[- 1]", 2), ("[012]", 1), ("[-012]", 2), ("[1.2a-3]", 4), ("[1.8011670033376514H-308]", 19),
        ("[--2.]", 2), ("[.-1]", 1), ("[-1x]", 3), ("[0e]", 3), ("[++1234]", 1), ("[\u{FF11}]", 1), ("[Inf]", 1),
        ("[00]", 1),
        ("[-Inf]", 1), ("[1e1.5]", 4), ("[-NaN]", 2), ("[1_000]", 2), ("[1,5.]", 5),
    ]

    static let stringsCases: [(String, Int?)] = [
        (#"["\u0060\u012a\u12AB"]"#, nil), (#"["\ud801\udc37"]"#, nil), (#"["\"\\\/\b\f\n\r\t"]"#, nil),
        (#"["\\u0000"]"#, nil),
        (#"["a/*b*/c/*d//e"]"#, nil), (#"["\\a"]"#, nil), (#"["\u0012"]"#, nil), (#"["\uFFFF"]"#, nil),
        (#"["new\u000Aline"]"#, nil),
        ("[\"\u{2028}\u{2029}\"]", nil), (#"["\u0000"]"#, nil), ("[\"⍂㈴⍂\"]", nil), ("[\"π\"]", nil),
        (#"["\uA66D"]"#, nil),
        (#"["\ud800"]"#, nil), (#"["\ud800\ud800\n"]"#, nil), (#"["\uDd1ea"]"#, nil), ("[\"\u{7F}\"]", nil),
        (#"["\u00A"]"#, 7), (#"["\x00"]"#, 2), (#"["\\\"]"#, 7), (#"["\a"]"#, 2), (#"["\🌀"]"#, 2), (#"["\"]"#, 5),
        (#"["\uqqqq"]"#, 4),
        (#"["\U0001"]"#, 2), (#"["\u 123"]"#, 4), (#"["\'"]"#, 2), ("['x']", 1), ("[\"a\u{0}a\"]", 3),
        ("[\"new\nline\"]", 5),
        ("[\"\t\"]", 2), ("\"", 1), ("\"x", 2), (#"["\u"]"#, 4), (#"["\ud83"]"#, 7), ("\"a\\", 3), ("[\"\u{1}\"]", 2),
    ]

    @Test("brackets, commas, names and words", arguments: structureCases)
    func structure(text: String, offset: Int?) {
        check(text, offset)
    }

    @Test("numbers", arguments: numbersCases)
    func numbers(text: String, offset: Int?) {
        check(text, offset)
    }

    @Test("strings", arguments: stringsCases)
    func strings(text: String, offset: Int?) {
        check(text, offset)
    }

    /// Compares where the scanner stops, and lets the skipper and the value reader agree.
    private func check(_ text: String, _ offset: Int?) {
        let error = Result { try JSONScannerTests.scan(Array(text.utf8)) }.failure
        #expect(error?.byteOffset == offset)
        #expect((error == nil) == (offset == nil))
        let value = try? JSONValue(parsing: text.rawSpan)
        // Text with a surrogate that stands alone is well-formed but cannot be held.
        if offset != nil { #expect(value == nil) }
    }
}

extension Result {
    var failure: SchemaError? {
        if case .failure(let error) = self { error as? SchemaError } else { nil }
    }
}
