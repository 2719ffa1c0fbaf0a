// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupDirectory
internal import RecordStorage
internal import SystemPackage

/// Overwrites secret boxes that must not be read any more.
///
/// Small amounts are overwritten with zeros in place, so that they are gone from the medium as far as a file system can
/// promise that; then whole blocks are punched out. Large amounts are only punched out, which also makes them read as
/// zeros. If the file system cannot punch holes, zeros are written instead. Repeating it is harmless.
struct HolePuncher {
    let file: CheckedFile
    /// All boxes are before this offset. Nothing is written after it, so that the file does not grow.
    let end: UInt64

    /// Larger amounts are punched out without being overwritten first.
    static let largestOverwrittenByteCount: UInt64 = 8 << 20
    static let blockByteCount: UInt64 = 4096

    /// The ranges of these boxes, except impossible locations.
    func ranges(of locations: [BoxLocation]) -> [Range<UInt64>] {
        locations.compactMap { location in
            let upper = location.offset + UInt64(location.length)
            return location.offset >= UInt64(JournalHeader.byteCount) && upper <= end ? location.offset..<upper : nil
        }
    }

    /// Overwrites everything in these ranges that is not overwritten yet, durably.
    ///
    /// - Returns: whether there was anything to do.
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

    /// Overwrites a range, then punches out its blocks as far as possible.
    private func zeroAndPunch(_ range: Range<UInt64>) throws(StorageError) {
        do throws(StorageError) {
            try zero(range)
        } catch {
            // Some file systems need new space to overwrite data. Punching makes zeros too, and frees space.
            guard error.code == .full, try punch(range) else { throw error }
            return
        }
        _ = try? punch(range)
    }

    /// Writes zeros sequentially: a reader that finds zeros takes the box for erased.
    private func zero(_ range: Range<UInt64>) throws(StorageError) {
        let zeros = [UInt8](repeating: 0, count: min(range.count, 1 << 20))
        var offset = range.lowerBound
        while offset < range.upperBound {
            let count = Int(min(UInt64(zeros.count), range.upperBound - offset))
            try file.write(zeros.rawSpan.extracting(0..<count), at: offset)
            offset += UInt64(count)
        }
    }

    /// Punches out the blocks and zeroes the rest of the range.
    ///
    /// - Returns: false if the file system cannot.
    private func punch(_ range: Range<UInt64>) throws(StorageError) -> Bool {
        // Only whole blocks: the edges are already zeros if the range was overwritten; otherwise they are zeroed next.
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

    /// Checks the whole range: an interrupted erasure may have left zeros at either end.
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
