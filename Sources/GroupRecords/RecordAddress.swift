// SPDX-License-Identifier: Apache-2.0

package import RecordStorage

/// The opaque names under which an entry is stored.
package struct RecordAddress: Hashable, Sendable {
    /// The record: a keyed hash of the entry's section and key.
    package let tag: RecordTag
    /// The partition that the record is read with, usually the account's.
    package let partition: PartitionTag
    /// Other names under which the partition can be found.
    package let searchTags: [SearchTag]

    package init(tag: RecordTag, partition: PartitionTag, searchTags: [SearchTag]) {
        self.tag = tag
        self.partition = partition
        self.searchTags = searchTags
    }
}
