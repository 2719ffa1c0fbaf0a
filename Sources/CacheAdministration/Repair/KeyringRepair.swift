// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import FileStorage
internal import GroupRecords
internal import RecordStorage
internal import SecretServiceStorage
internal import TokenCaching

/// Repairs a group whose records are in the keyring: deletes unreadable items, removes missing items from the list, and
/// signs accounts out whose sign-out may have been in a lost record.
struct KeyringRepair {
    let store: SecretServiceStore
    let codec: RecordCodec
    let time: WaitingTime
    let isDryRun: Bool

    func run() throws(StorageError) -> RepairReport {
        let examiner = SalvageExaminer(unlockedKeys: codec.unlockedKeys, now: WallClock.system.now().secondsSince1970)
        var summary = RepairReport()
        let report = try store.repair(within: time, isDryRun: isDryRun) { report, sequence throws(StorageError) in
            summary.add(report)
            examiner.begin()
            return try judge(report, sequence: sequence, examiner: examiner, summary: &summary)
        }
        summary.quarantinedByteCount = report.quarantinedByteCount
        summary.quarantinedFiles = report.quarantinedFiles
        summary.isRepaired = report.isRepaired
        return summary
    }

    private func judge(
        _ report: KeyringReport,
        sequence: UInt64,
        examiner: SalvageExaminer,
        summary: inout RepairReport
    ) throws(StorageError) -> KeyringRepairDecision {
        var decision = KeyringRepairDecision()
        var lost = Set(report.lost.map { LostRecord(partition: $0) })
        for (partition, contents) in report.partitions {
            let reader = try PartitionReader(contents, codec: codec)
            for (index, record) in reader.records.enumerated() {
                let fault = try BoxCheck.fault(index, reader)
                if let fault {
                    summary.findings.append(
                        VerificationReport.Finding(fault, record: record.tag, partition: partition)
                    )
                }
                if fault?.isDamage == true {
                    decision.damaged[partition, default: []].insert(record.tag)
                    lost.insert(LostRecord(partition: partition, tag: record.tag, kind: record.kind))
                    summary.lostCount += 1
                    summary.maximumLostCount = summary.maximumLostCount.map { $0 + 1 }
                } else {
                    summary.keptCount += 1
                    if let box = contents.facts[index] { try examiner.note(record, in: partition, facts: box.rawSpan) }
                }
            }
        }
        lost = lost.filter(examiner.mayHaveRecordedSignOut)
        if lost.isEmpty { return decision }
        let replacements = try examiner.replacements(for: lost, sequence: sequence)
        decision.replacements = replacements.records
        summary.signedOutAccountCount = replacements.accountCount
        return decision
    }
}

extension RepairReport {
    fileprivate mutating func add(_ report: KeyringReport) {
        findings += report.findings.map { VerificationReport.Finding($0) }
        let counts = report.findings.map(\.lostCount)
        lostCount = counts.reduce(0) { $0 + ($1 ?? 0) }
        maximumLostCount = counts.contains(nil) ? nil : lostCount
    }
}

extension VerificationReport.Finding {
    fileprivate init(_ finding: KeyringFinding) {
        self.init(
            description: finding.description,
            entryHandle: nil,
            accountHandle: finding.partition.map(AccountHandle.init),
            isDamage: finding.isDamage
        )
    }
}
