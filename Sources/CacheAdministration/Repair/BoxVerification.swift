// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupRecords
internal import RecordStorage
internal import TokenCaching

/// Opens every box of a group, and records the damaged ones.
struct BoxVerification {
    private let codec: RecordCodec
    private var meter: ProgressMeter
    private var summary: VerificationReport
    private var faults: [(partition: PartitionTag, record: RecordTag, fault: BoxCheck.Fault)] = []
    private var count = 0
    private var byteCount = 0

    init(codec: RecordCodec, summary: VerificationReport, progress: ProgressHandler?) {
        self.codec = codec
        self.summary = summary
        meter = ProgressMeter(progress, phase: .verifying, totalBytes: nil)
    }

    /// Verifies the partitions of a store, until `limit` bytes of records have been opened. Damage that it finds is
    /// confirmed in `file`, the same store.
    mutating func run(
        _ store: any RecordStore,
        in file: (any FileBackedStore)? = nil,
        until deadline: Deadline,
        byteCount limit: Int = .max
    ) throws(StorageError) -> VerificationReport {
        let partitions = try store.partitionsToRead(until: deadline)
        for (partition, _) in partitions {
            guard byteCount < limit else { break }
            let contents = try store.contents(of: partition, until: deadline)
            try look(at: contents, of: partition)
        }
        try lookAgain(at: file, until: deadline)
        return finish()
    }

    /// Verifies partitions that were already read.
    mutating func run(
        _ partitions: [(tag: PartitionTag, contents: PartitionContents)]
    ) throws(StorageError) -> VerificationReport {
        for (tag, contents) in partitions { try look(at: contents, of: tag) }
        return finish()
    }

    private mutating func look(
        at contents: PartitionContents,
        of partition: PartitionTag
    ) throws(StorageError) {
        let reader = try PartitionReader(contents, codec: codec)
        for (index, record) in reader.records.enumerated() {
            let fault = try BoxCheck.fault(index, reader)
            if let fault { faults.append((partition, record.tag, fault)) }
            count += 1
            byteCount += Int(record.facts.length) + Int(record.secret.length)
            try meter.note(completedBytes: byteCount, entryCount: count)
        }
    }

    /// Checks faulty records again while no process can write, because another process may have removed them, or
    /// changed the keys, since the store was read.
    private mutating func lookAgain(at file: (any FileBackedStore)?, until deadline: Deadline) throws(StorageError) {
        guard faults.contains(where: \.fault.isDamage), let file else { return }
        let suspects = Dictionary(grouping: faults, by: \.partition)
        var confirmed: [(partition: PartitionTag, record: RecordTag, fault: BoxCheck.Fault)] = []
        let codec = codec
        try file.withoutWriters(until: deadline) { store throws(StorageError) in
            for (partition, suspects) in suspects {
                let reader = try PartitionReader(store.contents(of: partition, until: deadline), codec: codec)
                for suspect in suspects {
                    guard let index = reader.records.firstIndex(where: { $0.tag == suspect.record }),
                        let fault = try BoxCheck.fault(index, reader)
                    else { continue }
                    confirmed.append((partition, suspect.record, fault))
                }
            }
        }
        faults = confirmed
    }

    private mutating func finish() -> VerificationReport {
        for (partition, record, fault) in faults { summary.add(fault, record: record, partition: partition) }
        summary.recordCount = count
        return summary
    }
}

extension VerificationReport {
    fileprivate mutating func add(_ fault: BoxCheck.Fault, record: RecordTag, partition: PartitionTag) {
        let finding = Finding(fault, record: record, partition: partition)
        // The journal has already reported it if its own hashes do not match.
        guard !findings.contains(where: { $0.entryHandle == finding.entryHandle }) else { return }
        findings.append(finding)
    }
}
