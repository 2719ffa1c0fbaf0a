// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import UnifiedSchema

@Suite("Names of the parts of an isolation")
struct IsolationPartNameTests {
    @Test("each part has one name, by which it is set and read")
    func names() {
        var numbers = Isolation(repeating: 0)
        for (index, part) in IsolationPart.allCases.enumerated() { numbers[part] = index + 1 }
        #expect(numbers.allSatisfy { $0 != 0 })
        #expect(numbers.parts.sorted() == Array(1...IsolationPart.allCases.count))
        for (index, part) in IsolationPart.allCases.enumerated() { #expect(numbers[part] == index + 1) }
    }

    @Test(
        "each member that contains a part isolates an entry, the one with the lowest number before the others",
        arguments: IsolationPart.allCases
    )
    func members(part: IsolationPart) throws {
        let names = MemberName.allCases.filter { $0.isolationPart == part }
        try #require(!names.isEmpty)
        for count in 1...names.count {
            // The order of the members in the entry does not matter.
            let json = names.suffix(count).reversed().map { "\"\($0.text)\":\"\($0)\"" }.joined(separator: ",")
            let facts = try parse(#"{"secret":"s","client_id":"c","environment":"e",\#(json)}"#).facts
            var expected = Isolation<UTF8Text?>.none
            expected[part] = UTF8Text("\(names[names.count - count])")
            #expect(CredentialFields(facts).isolation == expected)
        }
    }
}
