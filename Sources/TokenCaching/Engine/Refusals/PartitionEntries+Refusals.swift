// SPDX-License-Identifier: Apache-2.0

package import GroupRecords
package import RecordStorage
internal import UnifiedSchema

extension PartitionEntries {
    /// When each of the refusals that are in effect now ends, in seconds since 1970; `nil` for each that is in effect
    /// as long as its refresh token is stored. Notes that only restrict scopes are omitted, because they do not prevent
    /// requests.
    package static func activeRefusalEnds(
        _ contents: PartitionContents,
        codec: RecordCodec,
        now: Int64
    ) throws(StorageError) -> [Int64?] {
        guard contents.records.contains(where: { $0.kind.isRefusal }) else { return [] }
        let stored = try PartitionEntries(contents, codec: codec, where: \.isRefusal)
        return stored.refusals.map(\.note)
            .filter { $0.kind != .scopes && $0.kind != .mismatch && $0.isActive(now, among: contents.records) }
            .map { $0.hasEnd ? $0.period.until : nil }
    }
}
