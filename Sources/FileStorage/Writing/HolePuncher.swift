// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupDirectory
internal import RecordStorage
internal import SystemPackage

/// Erases secret boxes for good.
///
/// Small amounts are overwritten with zeros in place, which removes them from the medium as far as the file system
/// permits; then whole blocks are punched out. Large amounts are only punched out, which also makes them read as zeros,
/// or overwritten if the file system cannot punch holes. Erasing is idempotent.
struct HolePuncher {
    let file: CheckedFile
    /// The offset at which all boxes end. Writes stop there, so that the file does not grow.
    let end: UInt64

    /// The maximum amount to overwrite before punching; larger amounts are only punched out.
    static let largestOverwrittenByteCount: UInt64 = 8 << 20
    static let blockByteCount: UInt64 = 4096

    /// The ranges of these boxes, without impossible locations.
    func ranges(of locations: [BoxLocation]) -> [Range<UInt64>] {
        locations.compactMap { location in
            let upper = location.offset + UInt64(location.length)
            return location.offset >= UInt64(JournalHeader.byteCount) && upper <= end ? location.offset..<upper : nil
        }
    }

    /// Durably overwrites what is not overwritten yet in these ranges.
    ///
    /// - Returns: whether any range needed overwriting.
    @discardableResult
    func erase(_ all: [Range<UInt64>]) throws(StorageError) -> Bool {
        var ranges: [Range<UInt64>] = []
        for range in Self.merged(all.filter { !$0.isEmpty }) where try !isErased(range) { ranges.append(range) }
        guard !ranges.isEmpty else { return false }
        let total = ranges.reduce(0) { $0 + UInt64($1.count) }
        for range in ranges {
            if total <= Self.largestOverwrittenByteCount {
                try zeroAndPunch(range)
            } else if try !punch(range) {
                try zero(range)
            }
        }
        do throws(Errno) {
            try Syscalls.syncData(file.descriptor)
        } catch {
            let detail = "it is unknown whether erased secrets are gone from the disk"
            throw StorageError(.indeterminate, path: file.path, detail: detail, errno: error)
        }
        return true
    }

    /// Overwrites a range, then punches out its whole blocks if the file system can.
    private func zeroAndPunch(_ range: Range<UInt64>) throws(StorageError) {
        do throws(StorageError) {
            try zero(range)
        } catch {
            // Some file systems need new space to overwrite data. Punching also makes it read as zeros, and frees
            // space.
            guard error.code == .full, try punch(range) else { throw error }
            return
        }
        _ = try? punch(range)
    }

    /// Writes zeros from the start of the range, since a reader treats a box that starts with zeros as erased.
    private func zero(_ range: Range<UInt64>) throws(StorageError) {
        let zeros = [UInt8](repeating: 0, count: min(range.count, 1 << 20))
        var offset = range.lowerBound
        while offset < range.upperBound {
            let count = Int(min(UInt64(zeros.count), range.upperBound - offset))
            try file.write(zeros.rawSpan.extracting(0..<count), at: offset)
            offset += UInt64(count)
        }
    }

    /// Punches out the whole blocks of a range and zeroes the rest.
    ///
    /// - Returns: false if the file system cannot punch holes, or the range contains no whole block.
    private func punch(_ range: Range<UInt64>) throws(StorageError) -> Bool {
        // Punch only whole blocks; the edges are zeroed below.
        let lower = range.lowerBound.roundedUp(to: Self.blockByteCount)
        let upper = range.upperBound & ~(Self.blockByteCount - 1)
        guard lower < upper else { return false }
        do throws(Errno) {
            try Syscalls.punchHole(file.descriptor, at: lower, count: upper - lower)
        } catch {
            if error == .notSupported || error == .noFunction || error == .invalidArgument { return false }
            throw StorageError(error, path: file.path, doing: "punching a hole")
        }
        try zero(range.lowerBound..<lower)
        try zero(upper..<range.upperBound)
        return true
    }

    /// Whether the whole range is zeros. An interrupted erasure may have left zeros at only one end.
    private func isErased(_ range: Range<UInt64>) throws(StorageError) -> Bool {
        var offset = range.lowerBound
        while offset < range.upperBound {
            let bytes = try file.read(at: offset, count: Int(min(256 << 10, range.upperBound - offset)))
            if bytes.isEmpty { break }
            if !bytes.rawSpan.isZero { return false }
            offset += UInt64(bytes.count)
        }
        return true
    }

    /// The same bytes in ascending order, with neighbours joined.
    static func merged(_ ranges: [Range<UInt64>]) -> [Range<UInt64>] {
        var merged: [Range<UInt64>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = merged.last, range.lowerBound <= last.upperBound {
                merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                merged.append(range)
            }
        }
        return merged
    }
}
