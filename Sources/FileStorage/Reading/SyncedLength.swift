// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupDirectory
internal import RecordStorage

/// The durable length of a journal in the current boot, as its last writer noted it in the shared page.
///
/// The note only makes readers more careful, or spares them a search if no write was started; it never makes them trust
/// a byte. Computing its hash needs the journal's keys, so a forged note is ignored, as is one of another journal or
/// boot.
enum SyncedLength {
    /// The note that a writer leaves after making `byteCount` bytes durable; `nil` if the kernel does not identify the
    /// boot.
    static func note(_ byteCount: UInt64, of journal: JournalID, keys: JournalKeys) -> RevisionNote? {
        guard let boot = BootID.current, let hash = try? keys.noteHash(byteCount, journal: journal, boot: boot)
        else { return nil }
        return RevisionNote(number: byteCount, hash: (hash.first, hash.second))
    }

    /// The durable length of a journal according to the page; `nil` if the page has no valid note.
    static func noted(of generation: Generation, in directory: GroupDirectory) -> UInt64? {
        let note = directory.revision.note
        guard note == Self.note(note.number, of: generation.header.journal, keys: generation.keys) else { return nil }
        return note.number
    }
}

extension JournalKeys {
    /// The hash that follows the number in a note. The hashed bytes begin differently from every lead.
    fileprivate func noteHash(_ byteCount: UInt64, journal: JournalID, boot: BootID) throws(StorageError) -> BoxHash {
        let fields: InlineArray<4, UInt64> = [
            Self.noteMagic.littleEndian, boot.first.littleEndian, boot.second.littleEndian, byteCount.littleEndian,
        ]
        return try leadHash(fields.rawSpan, journal: journal)
    }

    /// "STCNOTE" and a zero byte.
    private static let noteMagic: UInt64 = 0x0045_544F_4E43_5453
}
