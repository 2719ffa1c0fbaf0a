// SPDX-License-Identifier: Apache-2.0

internal import GroupRecords
internal import Sealing
internal import TokenCaching
internal import UnifiedSchema

/// Determines the length of facts from their first bytes, as far as possible.
extension SalvageExaminer {
    static func claimedByteCount(ofEntry start: [UInt8]) -> RecordSealer.ClaimedByteCount {
        do throws(SchemaError) {
            return try EntryFacts.byteCount(startingWith: start).map { .known($0) } ?? .unknown
        } catch {
            return .impossible
        }
    }

    /// Fields are in ascending order; padding follows the last one.
    static func claimedByteCount(ofInternalRecord start: [UInt8]) -> RecordSealer.ClaimedByteCount {
        guard start.first == InternalRecordFacts.version else { return .impossible }
        let bucket = BoxRole.facts.bucketByteCount
        var position = 1
        var last = 0
        while position < start.count {
            let number = Int(start[position])
            let padded = min(start.count, (position / bucket + 1) * bucket)
            if number == Padding.mark, start[position + 1..<padded].allSatisfy({ $0 == 0 }) {
                return .known(position)
            }
            guard number > last else { return .impossible }
            last = number
            position += 1
            var count = 0
            var shift = 0
            while true {
                guard position < start.count else { return .unknown }
                guard shift < 35 else { return .impossible }
                let byte = start[position]
                count |= Int(byte & 0x7F) << shift
                shift += 7
                position += 1
                if byte < 0x80 { break }
            }
            position += count
        }
        return .unknown
    }
}
