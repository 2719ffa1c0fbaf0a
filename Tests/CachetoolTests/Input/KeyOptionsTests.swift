// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Sealing
import Testing
import TokenCaching

@testable import CacheAdministration
@testable import ToolInterface

@Suite("The options for keys")
struct KeyOptionsTests {
    @Test("every kind of key slot has an option that adds one", arguments: SlotKind.allCases)
    func newSlot(kind: SlotKind) {
        let name = "\(kind)".replacing(/[A-Z]/) { "-" + $0.output.lowercased() }
        #expect(NewSlotOptions.helpMessage(columns: 200).contains("--new-\(name) "))
    }

    @Test(
        "a slot that the library cannot open by itself has an option that opens it and lets a change of keys keep it",
        arguments: SlotKind.allCases
    )
    func existingSlot(kind: SlotKind) throws {
        // An option that names a descriptor needs an open one.
        let file = try #require(FileHandle(forReadingAtPath: "/dev/null"))
        defer { try? file.close() }
        let value = "\(file.fileDescriptor)"
        for kind in kind.shown where !kind.isFoundByLibrary {
            let option = String(try #require(kind.openingOption).prefix { $0 != " " })
            let given = try KeyOptions.parse([option, value])
            #expect(given.givenOption == option)
            let ways = given.ways { _ in .keyring }
            #expect(ways.count == 1)
            let slot = SlotSummary(
                id: "",
                kind: kind,
                keyFilePath: value,
                passphraseMemoryByteCount: nil,
                passphrasePassCount: nil
            )
            #expect(given.canProvideSecret(of: slot))
            #expect(try !KeyOptions.parse([]).canProvideSecret(of: slot))
        }
    }
}

extension SlotKind {
    /// The kinds that summaries show for slots of this kind.
    var shown: [SlotSummary.Kind] {
        switch self {
        case .keyFile: [.ownKeyFile, .keyFile]
        case .keyring: [.keyring]
        case .passphrase: [.passphrase]
        }
    }
}
