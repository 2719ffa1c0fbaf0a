// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupDirectory
internal import RecordStorage

/// What the last writer noted in the shared page: which journal it wrote, how much of it is durable, and its newest
/// transaction.
///
/// It proves that those transactions were acknowledged, in any boot. It never makes a reader trust a byte. Computing its
/// hash needs the keys of the group, so a forged note is ignored.
struct SyncNote: Hashable, Sendable {
    let journal: JournalID
    let sequence: UInt64
    /// Whether it was written since the computer started.
    let isOfThisBoot: Bool
    private let syncedByteCount: UInt64

    /// The note in the page; `nil` if there is none under the keys of this journal.
    init?(of generation: Generation, in directory: GroupDirectory) {
        let note = directory.revision.note
        let words = note.words
        journal = JournalID(first: words[2], second: words[3])
        syncedByteCount = words[0]
        sequence = words[1]
        isOfThisBoot = words[4] == Self.boot && words[4] != 0
        guard let hash = try? generation.keys.noteHash(note), hash == BoxHash(first: words[5], second: words[6]),
            sequence < JournalFormat.largestNumber
        else { return nil }
    }

    /// The synced length of a journal; `nil` if the note is about another one.
    func byteCount(of journal: JournalID) -> UInt64? { journal == self.journal ? syncedByteCount : nil }

    /// The note that a writer leaves after making everything up to `cursor` durable.
    static func make(_ cursor: TailReader.Cursor, of journal: JournalID, keys: JournalKeys) -> RevisionNote? {
        var note = RevisionNote(words: [cursor.end, cursor.sequence, journal.first, journal.second, boot, 0, 0])
        guard let hash = try? keys.noteHash(note) else { return nil }
        note.words[5] = hash.first
        note.words[6] = hash.second
        return note
    }

    /// Zero if the kernel does not identify the boot.
    private static var boot: UInt64 { BootID.current?.first ?? 0 }
}

extension JournalKeys {
    /// The hash at the end of a note. The hashed bytes begin differently from every lead.
    fileprivate func noteHash(_ note: RevisionNote) throws(StorageError) -> BoxHash {
        let words = note.words
        let fields: InlineArray<4, UInt64> = [
            Self.noteMagic.littleEndian, words[0].littleEndian, words[1].littleEndian, words[4].littleEndian,
        ]
        return try leadHash(fields.rawSpan, journal: JournalID(first: words[2], second: words[3]))
    }

    /// The mark that a writer leaves behind a transaction once it is durable.
    func mark(of sequence: UInt64, in journal: JournalID) throws(StorageError) -> BoxHash {
        let fields: InlineArray<2, UInt64> = [Self.markMagic.littleEndian, sequence.littleEndian]
        return try leadHash(fields.rawSpan, journal: journal)
    }

    /// "STCNOTE" and a zero byte.
    private static let noteMagic: UInt64 = 0x0045_544F_4E43_5453
    /// "STCMARK" and a zero byte.
    private static let markMagic: UInt64 = 0x004B_5241_4D43_5453
}
