// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage

/// Maps locations of boxes in one file to their locations in another file, to which they were copied in runs.
struct Relocation: Sendable {
    private struct Run: Sendable {
        var start: UInt64
        var end: UInt64
        var newStart: UInt64
    }

    private var runs: [Run] = []

    /// Records a copied run. Append runs in ascending order of their old offset.
    mutating func append(_ range: Range<UInt64>, to newStart: UInt64) {
        runs.append(Run(start: range.lowerBound, end: range.upperBound, newStart: newStart))
    }

    /// The new location of a box, or `nil` if it was not copied.
    func location(of old: BoxLocation) -> BoxLocation? {
        if old.length == 0 { return BoxLocation.none }
        var low = 0
        var high = runs.count
        while low < high {
            let middle = low + (high - low) / 2
            if runs[middle].end <= old.offset { low = middle + 1 } else { high = middle }
        }
        guard low < runs.count, runs[low].start <= old.offset, old.offset + UInt64(old.length) <= runs[low].end
        else { return nil }
        return BoxLocation(offset: runs[low].newStart + (old.offset - runs[low].start), length: old.length)
    }
}
