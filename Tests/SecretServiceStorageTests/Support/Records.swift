// SPDX-License-Identifier: Apache-2.0

import RecordStorage
import Sealing
import SecretServiceStorage

/// Made-up records. A store never opens a box, so any bytes will do.
enum Records {
    static func partition(_ number: UInt64) -> PartitionTag {
        PartitionTag(first: number &* 0x9E37_79B9_7F4A_7C15, second: number)
    }

    /// Notes the epoch in the second byte of each box.
    static let resealing = KeyringResealing { _, facts, secret, old, new throws(StorageError) in
        var (facts, secret) = (facts, secret)
        facts[1] = UInt8(new.epoch)
        if !secret.isEmpty { secret[1] = UInt8(new.epoch) }
        return (facts, secret)
    }

    static func record(_ number: UInt64, in partition: UInt64, version: UInt8 = 0, secret: Int = 300) -> NewRecord {
        NewRecord(
            tag: RecordTag(first: number, second: number),
            partition: Records.partition(partition),
            kind: RecordKind(rawValue: 1),
            facts: [UInt8](repeating: version, count: 100),
            secret: [UInt8](repeating: version | 0x80, count: secret)
        )
    }
}

extension SecretServiceStore {
    @discardableResult
    func put(_ records: [NewRecord], until deadline: Deadline = .after(.seconds(10))) throws(StorageError) -> UInt64 {
        try commit(until: deadline) { _, batch throws(StorageError) in
            for record in records { try batch.put(record) }
        }
    }

    /// Signs out of what ``Records/record(_:in:version:secret:)`` of this number made in the partition of the same number.
    func remove(_ number: UInt64, until deadline: Deadline) throws(StorageError) {
        try commit(until: deadline) { _, batch throws(StorageError) in
            let tag = Records.record(number, in: number).tag
            try batch.remove(Removal(tag: tag, partition: Records.partition(number), erasesSecret: true))
        }
    }

    /// Reads all that there is, as a list of all accounts does.
    @discardableResult
    func readEverything() throws(StorageError) -> [PartitionContents] {
        var contents: [PartitionContents] = []
        for (tag, _) in try partitionsToRead() { contents.append(try self.contents(of: tag)) }
        return contents
    }

    /// Puts the keys of the next epoch in force.
    func rekey(
        until deadline: Deadline,
        onStep: (RekeyStep) -> StorageError? = { _ in nil }
    ) throws(StorageError) {
        try replaceKeys(until: deadline, onStep: onStep) { keys throws(StorageError) in
            do throws(SealingError) {
                return try keys.nextEpoch()
            } catch {
                throw StorageError(.system)
            }
        }
    }

    /// The first byte of the facts of the first record of a partition; `nil` where it has none.
    func version(in partition: UInt64) throws(StorageError) -> UInt8? {
        try contents(of: Records.partition(partition)).facts.first??.first
    }
}

/// The code that `body` fails with, and how long it took.
func failure<Result>(of body: () throws -> Result) -> (code: StorageError.Code?, time: Duration) {
    let clock = SuspendingClock()
    let start = clock.now
    do {
        _ = try body()
        return (nil, clock.now - start)
    } catch {
        return ((error as? StorageError)?.code, clock.now - start)
    }
}
