package import RecordStorage

/// When something was removed last, and by which client: the engine's own record.
package struct Tombstone: Hashable, Sendable {
    package private(set) var record: EngineRecord

    /// A mark that was never written.
    package init() {
        record = EngineRecord()
    }

    /// Reads the bytes of a facts box of ``EngineRecordKind/accountWipe`` or ``EngineRecordKind/lastRemoval``.
    package init(decoding bytes: [UInt8]) throws(StorageError) {
        record = try EngineRecord(decoding: bytes)
    }

    package func encoded() -> [UInt8] { record.encoded() }

    /// The client that removed it.
    package var clientID: String { record[text: .clientID] ?? "" }

    /// What was removed; nil for a scope that this version does not know.
    package var scope: RemovalScope? { record[bytes: .value]?.first.flatMap(RemovalScope.init(rawValue:)) }

    /// Seconds since 1970.
    package var removedAt: Int64 { record[number: .time] ?? 0 }

    /// How often the mark was written.
    package var count: Int64 { record[number: .count] ?? 0 }

    /// The sequence of the transaction that removed all that the mark stands for: of an account's mark the last wipe, of
    /// the group's mark the last clear. 0 where none did. A renewal that began before it must not bring anything back.
    package var removalSequence: UInt64 { record[number: .removal].map { UInt64(bitPattern: $0) } ?? 0 }

    /// The mark after another removal, in the transaction of this sequence where that removes all that it stands for.
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
