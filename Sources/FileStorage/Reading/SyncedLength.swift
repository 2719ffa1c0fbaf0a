internal import ByteOperations
internal import GroupDirectory
internal import RecordStorage

/// How much of which journal was durable in this run of the machine, as its last writer noted in the shared page.
///
/// It is used to be more careful, and to know where nothing was begun yet; never to trust bytes. The hash is one that only
/// who has the keys of the journal can make: a note that was forged, or is of another journal or run, is no note.
enum SyncedLength {
    /// The note of a writer that made this many bytes durable; `nil` where the kernel does not name the run of the machine.
    static func note(_ byteCount: UInt64, of journal: JournalID, keys: JournalKeys) -> RevisionNote? {
        guard let boot = BootID.current, let hash = try? keys.noteHash(byteCount, journal: journal, boot: boot)
        else { return nil }
        return RevisionNote(number: byteCount, hash: (hash.first, hash.second))
    }

    /// What the page says of a journal; `nil` where it says nothing that counts.
    static func noted(of generation: Generation, in directory: GroupDirectory) -> UInt64? {
        let note = directory.revision.note
        guard note == Self.note(note.number, of: generation.header.journal, keys: generation.keys) else { return nil }
        return note.number
    }
}

extension JournalKeys {
    /// What stands behind the number in a note. No lead begins with the same bytes.
    fileprivate func noteHash(_ byteCount: UInt64, journal: JournalID, boot: BootID) throws(StorageError) -> BoxHash {
        let fields: InlineArray<4, UInt64> = [
            Self.noteMagic.littleEndian, boot.first.littleEndian, boot.second.littleEndian, byteCount.littleEndian,
        ]
        return try leadHash(fields.rawSpan, journal: journal)
    }

    /// "STCNOTE" and a zero.
    private static let noteMagic: UInt64 = 0x0045_544F_4E43_5453
}
