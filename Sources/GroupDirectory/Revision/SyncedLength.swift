/// A note that a writer leaves for the next one: how much of which journal was durable, in which run of the machine.
///
/// A hint: what it says is used to be more careful, and to know where nothing was begun yet; never to trust bytes.
package struct SyncedLength: Hashable, Sendable {
    package let boot: BootID
    /// Names the journal: the one of another file, or of another generation of it, says nothing.
    package let journalFirst: UInt64
    package let journalSecond: UInt64
    /// Bytes of the journal that were durable when the note was written.
    package let length: UInt64

    package init(boot: BootID, journal: (UInt64, UInt64), length: UInt64) {
        self.boot = boot
        journalFirst = journal.0
        journalSecond = journal.1
        self.length = length
    }
}
