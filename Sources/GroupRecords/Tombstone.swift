// SPDX-License-Identifier: Apache-2.0

package import RecordStorage

/// When entries were last removed, and by which client: an internal record.
package struct Tombstone: Hashable, Sendable {
    package private(set) var record: InternalRecordFacts

    /// A tombstone that was never written.
    package init() {
        record = InternalRecordFacts()
    }

    /// Decodes the plaintext of a facts box of ``InternalRecordKind/accountWipe`` or
    /// ``InternalRecordKind/lastRemoval``.
    package init(decoding bytes: [UInt8]) throws(StorageError) {
        record = try InternalRecordFacts(decoding: bytes)
    }

    package func encoded() -> [UInt8] { record.encoded() }

    /// The client that removed them.
    package var clientID: String { record[text: .clientID] ?? "" }

    /// The scope of the removal; nil for a scope that this version does not know.
    package var scope: RemovalScope? { record[bytes: .value]?.first.flatMap(RemovalScope.init(rawValue:)) }

    /// The time of the removal in seconds since 1970.
    package var removedAt: Int64 { record[number: .time] ?? 0 }

    /// How often the tombstone was written.
    package var count: Int64 { record[number: .count] ?? 0 }

    /// The sequence of the last transaction that removed everything the tombstone covers: for an account the last wipe,
    /// for the group the last clear. 0 if there was none. A renewal that began before it must not restore anything.
    package var removalSequence: UInt64 { record[number: .removal].map { UInt64(bitPattern: $0) } ?? 0 }

    /// The tombstone after another removal. `sequence` is that transaction if it removes everything the tombstone
    /// covers.
    package func moved(_ scope: RemovalScope, by clientID: String, at time: Int64, in sequence: UInt64?) -> Tombstone {
        var moved = self
        if let sequence { moved.record[number: .removal] = Int64(bitPattern: sequence) }
        moved.record[text: .clientID] = clientID
        moved.record[bytes: .value] = [scope.rawValue]
        moved.record[number: .time] = time
        moved.record[number: .count] = count &+ 1
        return moved
    }
}
