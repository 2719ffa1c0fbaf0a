// SPDX-License-Identifier: Apache-2.0

import CacheAdministration
import TokenCaching
import ToolInterface

/// Key slots, for human readers and for programs.
struct SlotList {
    let slots: [SlotSummary]

    /// The table for human readers.
    var table: Table {
        Table([TableColumn("SLOT"), TableColumn("OPENED BY"), TableColumn("WHERE", minimum: 12)], of: slots) { slot in
            [
                TableCell(String(slot.id.prefix(8)), .bold), TableCell(slot.kind.displayName),
                TableCell(Self.location(slot)),
            ]
        }
    }

    /// Writes a member of a JSON document.
    func write(_ name: String, _ json: JSONWriter) {
        json.array(name) {
            for slot in slots {
                json.objectElement {
                    json.member("id", slot.id)
                    json.member("kind", slot.kind.rawValue)
                    json.member("key_file", slot.keyFilePath)
                    json.member("passphrase_memory_bytes", slot.passphraseMemoryByteCount.map(Int64.init))
                    json.member("passphrase_passes", slot.passphrasePassCount.map(Int64.init))
                }
            }
        }
    }

    /// A name such as "key file 1a2b3c4d", for use in a sentence.
    static func name(_ slot: SlotSummary) -> String { slot.kind.displayName + " " + slot.id.prefix(8) }

    private static func location(_ slot: SlotSummary) -> String {
        if let path = slot.keyFilePath { return path }
        guard let bytes = slot.passphraseMemoryByteCount, let passes = slot.passphrasePassCount else { return "" }
        return "each attempt costs \(HumanNumber.bytes(bytes)), \(passes) passes"
    }
}
