// SPDX-License-Identifier: Apache-2.0

// SAFETY: contexts are static strings of eight ASCII bytes; a pointer to a key is valid while its key is borrowed.

/// The purpose of a derived key. The last two are derived from the tag key, all others from the root key. The number
/// and the context are part of the derivation, so never change one.
package enum SubkeyPurpose: UInt64, Sendable, CaseIterable {
    /// Authenticates the header of a journal.
    case header = 1
    /// Seals the index of a store and the heads beside it.
    case storeIndex = 2
    /// Seals the heads of frames.
    case frame = 3
    /// Authenticates the leads of frames.
    case frameLead = 4
    /// Hashes the boxes of a frame.
    case frameBoxes = 5
    /// Seals the facts and the secrets of records.
    case record = 6
    /// Seals the tag key beside the key slots.
    case tagKeyWrap = 7
    /// Authenticates the block of key slots.
    case slotBlock = 8
    /// Authenticates the state file of a group. Derived from the tag key, so that it survives a change of the root key.
    case stateFile = 9
    /// Hashes the name of a group. Derived from the tag key, so that it survives a change of the root key.
    case groupName = 10

    /// The eight-byte context argument of `crypto_kdf`.
    package var context: String {
        switch self {
        case .header: "tcs-head"
        case .storeIndex: "tcs-indx"
        case .frame: "tcs-fram"
        case .frameLead: "tcs-lead"
        case .frameBoxes: "tcs-boxh"
        case .record: "tcs-recd"
        case .tagKeyWrap: "tcs-tagw"
        case .slotBlock: "tcs-slot"
        case .stateFile: "tcs-stat"
        case .groupName: "tcs-name"
        }
    }

    @unsafe func withContext<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        unsafe context.withCString(body)
    }
}

/// The address of a key's 32 bytes, which were checked to be present in this process. Must not outlive the key.
@unsafe package struct KeyPointer {
    let address: UnsafePointer<UInt8>

    @inline(always)
    init(address: UnsafeMutablePointer<UInt8>) {
        unsafe self.address = UnsafePointer(address)
    }
}
