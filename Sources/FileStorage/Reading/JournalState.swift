// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupDirectory
internal import RecordStorage

/// A store's view of its journal at one moment: a generation and the frames after its snapshot.
struct JournalState: Sendable {
    let generation: Generation
    var overlay = Overlay()
    /// The end of the last valid frame.
    var end: UInt64
    /// The sequence of the newest transaction.
    var sequence: UInt64
    /// The first bytes of the last frame: the lead and the head's nonce, which together are unique.
    var lastFrame: LastFrame?
    var frameCount = 0
    /// The newest transaction up to which all erased secrets are known to be overwritten.
    var erasedThrough: UInt64
    /// Erasures after ``erasedThrough`` that may not be complete.
    var pendingErasures: [Erasure] = []
    var deadByteCount: UInt64
    /// The number of bytes after ``end`` of a write that does not count, if any; only preallocated space follows them.
    var tornByteCount: UInt64 = 0
    /// Whether that write is complete, so that it was not simply interrupted.
    var isTailUnproven = false
    /// True if this journal was written over the file that the store was using, perhaps by a copy still in progress.
    var overwroteFile = false
    /// The identity of the file when it was last read.
    var seen: FileIdentity
    /// The note in the shared page when the file was last read.
    var note: SyncNote?

    struct LastFrame: Sendable {
        let offset: UInt64
        /// In memory order.
        private let start: InlineArray<9, UInt64>

        /// `bytes` is the whole frame.
        init(offset: UInt64, bytes: [UInt8]) {
            self.offset = offset
            let bytes = bytes.rawSpan
            start = InlineArray { bytes.uint64(at: 8 * $0).littleEndian }
        }

        init(_ last: TailReader.Last) {
            offset = last.offset
            start = last.start
        }

        /// Whether the frame is still in the file. A writer may have undone it after a failed sync, or replaced a torn
        /// frame with another one during the read.
        func isStillThere(in file: CheckedFile) throws(StorageError) -> Bool {
            let now: InlineArray<9, UInt64> = try file.words(at: offset)
            return start.indices.allSatisfy { start[$0] == now[$0] }
        }
    }

    /// The secrets to overwrite on behalf of one transaction.
    struct Erasure: Sendable {
        var sequence: UInt64
        var locations: [BoxLocation]
        /// For a transaction that removed everything, the offset of its frame; all secret boxes before it must be
        /// overwritten.
        var everythingBefore: UInt64?
    }

    /// The state of a journal before its frames are read.
    init(_ generation: Generation, seen: FileIdentity) {
        self.generation = generation
        self.seen = seen
        end = generation.header.framesOffset
        sequence = generation.header.baseSequence
        erasedThrough = generation.header.baseSequence
        deadByteCount = generation.header.deadByteCount
    }

    /// The part of the state that a writer needs. It omits the overlay: while a copy is held, the next change would
    /// duplicate the whole overlay.
    struct Position: Sendable {
        var generation: Generation
        var cursor: TailReader.Cursor
        var lastFrame: LastFrame?
        var erasedThrough: UInt64
        var pendingErasures: [Erasure]
        var deadByteCount: UInt64
        var tornByteCount: UInt64
        var isTailUnproven: Bool
        /// The length of the file, including preallocated space.
        var fileByteCount: UInt64
        /// The note in the shared page; for a writer, that of the last writer, because it is read under the lock.
        var note: SyncNote?

        /// The number of bytes that a new snapshot would copy at most.
        var usedByteCount: UInt64 {
            let header = generation.header
            return cursor.end - header.framesOffset + header.indexOffset + header.indexByteCount - header.boxesOffset
        }
    }

    var position: Position {
        Position(
            generation: generation,
            cursor: cursor,
            lastFrame: lastFrame,
            erasedThrough: erasedThrough,
            pendingErasures: pendingErasures,
            deadByteCount: deadByteCount,
            tornByteCount: tornByteCount,
            isTailUnproven: isTailUnproven,
            fileByteCount: seen.size,
            note: note
        )
    }

    /// The position at which reading continues.
    var cursor: TailReader.Cursor { TailReader.Cursor(end: end, sequence: sequence) }

    /// Applies the next frame. Returns the changed partitions if `noting` is true, otherwise
    /// ``StoreChanges/everything``.
    mutating func apply(_ frame: JournalFrame, noting: Bool = true) -> StoreChanges {
        end = frame.end
        sequence = frame.lead.sequence
        frameCount += 1
        deadByteCount = frame.head.deadByteCount
        markErased(through: frame.head.erasedThrough)
        if let erasure = Self.erasure(frame) { pendingErasures.append(erasure) }
        return overlay.apply(frame, noting: noting)
    }

    /// Records that all secrets erased by transactions up to `sequence` are overwritten.
    mutating func markErased(through sequence: UInt64) {
        guard sequence > erasedThrough else { return }
        erasedThrough = sequence
        pendingErasures.removeAll { $0.sequence <= sequence }
    }

    /// Records the position at which reading ended, and the last frame if one was read.
    mutating func finish(_ result: TailReader.Result, _ lastFrame: LastFrame?) {
        switch result.rest {
        case .torn, .unproven: tornByteCount = result.restByteCount
        case .nothing, .unusable: tornByteCount = 0
        }
        if case .unproven = result.rest { isTailUnproven = true } else { isTailUnproven = false }
        if let lastFrame { self.lastFrame = lastFrame }
    }

    /// The erasure that a frame requests, if any.
    static func erasure(_ frame: JournalFrame) -> Erasure? {
        var erasure = Erasure(sequence: frame.lead.sequence, locations: [])
        for operation in frame.head.operations {
            switch operation {
            case .removeAll: erasure.everythingBefore = frame.offset
            case .remove(let remove) where remove.erasesSecret: erasure.locations += remove.locations
            case .put, .remove: break
            }
        }
        return erasure.locations.isEmpty && erasure.everythingBefore == nil ? nil : erasure
    }

    /// A view of one partition, which does not retain the whole state.
    func view(of partition: PartitionTag) -> PartitionView {
        PartitionView(
            generation: generation,
            partition: partition,
            changed: overlay.partitions[partition],
            hidesSnapshot: overlay.hidesSnapshot
        )
    }
}
