/// A record to be removed. Removing what is not there is no error.
package struct Removal: Hashable, Sendable {
    package let tag: RecordTag
    package let partition: PartitionTag
    /// True where the person asked for it (sign-out, wipe, clear): the sealed secret itself is then overwritten.
    /// False for ordinary replacement, whose leftovers wait for compaction.
    package let erasesSecret: Bool

    package init(tag: RecordTag, partition: PartitionTag, erasesSecret: Bool) {
        self.tag = tag
        self.partition = partition
        self.erasesSecret = erasesSecret
    }
}
