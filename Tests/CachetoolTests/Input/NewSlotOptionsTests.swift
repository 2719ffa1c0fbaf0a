// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Sealing
import Testing

@testable import cachetool

@Suite("The options of a new key slot")
struct NewSlotOptionsTests {
    @Test("every kind of key slot can be added with an option of its own", arguments: SlotKind.allCases)
    func option(kind: SlotKind) {
        let name = "\(kind)".replacing(/[A-Z]/) { "-" + $0.output.lowercased() }
        #expect(NewSlotOptions.helpMessage(columns: 200).contains("--new-\(name) "))
    }
}
