// SPDX-License-Identifier: Apache-2.0

/// ASCII labels for domain separation: sixteen bytes each, all different, and none a prefix of another or of a subkey's
/// context. They are part of the formats, so never change one.
package enum Label {
    static let recordBox: StaticString = "tcs.record-box.1"
    static let recordTag: StaticString = "tcs.record-tag.1"
    static let accountPartition: StaticString = "tcs.part-acct..1"
    static let usernamePartition: StaticString = "tcs.part-user..1"
    static let appOnlyPartition: StaticString = "tcs.part-app...1"
    static let groupPartition: StaticString = "tcs.part-group.1"
    static let usernameSearch: StaticString = "tcs.find-user..1"
    static let personSearch: StaticString = "tcs.find-person1"
    static let lease: StaticString = "tcs.lease......1"
    static let keyFile: StaticString = "tcs.key-file...1"
    static let slotKEK: StaticString = "tcs.slot-kek...1"
    static let slotWrap: StaticString = "tcs.slot-wrap..1"
    static let slotCommitment: StaticString = "tcs.slot-commit1"
    static let tagKeyWrap: StaticString = "tcs.tagkey-wrap1"
    static let slotBlock: StaticString = "tcs.slot-block.1"

    static let byteCount = 16

    /// All labels, for the test that compares them.
    package static var all: [String] {
        [
            recordBox, recordTag, accountPartition, usernamePartition, appOnlyPartition, groupPartition,
            usernameSearch, personSearch, lease, keyFile, slotKEK, slotWrap, slotCommitment, tagKeyWrap, slotBlock,
        ].map(\.description)
    }
}
