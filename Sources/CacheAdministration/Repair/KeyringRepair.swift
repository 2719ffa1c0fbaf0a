// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import FileStorage
internal import GroupRecords
internal import RecordStorage
internal import SecretServiceStorage
internal import TokenCaching

/// Repairs a group whose records are in the keyring: deletes unreadable items and removes missing items from the list.
struct KeyringRepair {
    let store: SecretServiceStore
    let codec: RecordCodec
    let time: WaitingTime
    let isDryRun: Bool

    func run() throws(StorageError) -> RepairReport {
        var summary = RepairReport()
        let report = try store.repair(within: time, isDryRun: isDryRun) { report throws(StorageError) in
            summary.add(report)
            return try judge(report, summary: &summary)
        }
        summary.quarantinedByteCount = report.quarantinedByteCount
        summary.quarantinedFiles = report.quarantinedFiles
        summary.isRepaired = report.isRepaired
        return summary
    }

    private func judge(
        _ report: KeyringReport,
        summary: inout RepairReport
    ) throws(StorageError) -> [PartitionTag: Set<RecordTag>] {
        var damaged: [PartitionTag: Set<RecordTag>] = [:]
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
                    damaged[partition, default: []].insert(record.tag)
                    summary.lostCount += 1
                    summary.maximumLostCount = summary.maximumLostCount.map { $0 + 1 }
                } else {
                    summary.keptCount += 1
                }
            }
        }
        return damaged
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
