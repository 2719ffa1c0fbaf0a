// SPDX-License-Identifier: Apache-2.0

package import RecordStorage
package import Sealing

extension SecretServiceStore: KeyHoldingStore {
    package var readsWithoutWaiting: Bool { false }

    package var fileBacked: (any FileBackedStore)? { nil }

    /// Reads the keyring in one step, so it never calls `progress`.
    package func examine(
        until deadline: Deadline,
        progress: @escaping (UInt64, UInt64) -> Bool
    ) throws(StorageError) -> StoreExamination {
        let report = try examine(until: deadline)
        // Leave out a missing list, which does not mean that any item is damaged.
        let findings = report.findings.filter { $0.kind != .unlisted }.map { finding in
            StoreExamination.Finding(
                finding.description,
                partition: finding.partition,
                isDamage: finding.isDamage
            )
        }
        return StoreExamination(findings: findings, byteCount: report.byteCount, partitions: report.partitions)
    }

    package func replaceKeys(
        until deadline: Deadline,
        meter: RekeyMeter,
        _ newKeys: (GroupKeys) throws(StorageError) -> GroupKeys
    ) throws(StorageError) {
        try replaceKeys(until: deadline, onStep: { _ in nil }, meter: meter, newKeys)
    }
}
