internal import ByteOperations
internal import GroupDirectory
internal import RecordStorage

/// What a store knows of its journal at one moment: a generation and the frames behind its snapshot.
struct JournalState: Sendable {
    let generation: Generation
    var overlay = Overlay()
    /// Where the last frame that counts ends.
    var end: UInt64
    /// The sequence of the newest transaction.
    var sequence: UInt64
    /// The first bytes of the last frame, which no other frame has: lead and nonce of the head.
    var lastFrame: LastFrame?
    var frameCount = 0
    /// The secrets erased by transactions up to this one are known to be overwritten.
    var erasedThrough: UInt64
    /// Erasures after ``erasedThrough``, not known to be done.
    var pendingErasures: [Erasure] = []
    var deadByteCount: UInt64
    /// Length of the torn tail behind ``end``, if there is one; behind that there is only room.
    var tornByteCount: UInt64 = 0
    /// The journal was written over another one, which this store had in use: whoever did that may be at it still.
    var tookFileOver = false
    /// The file as it was when it was read last.
    var seen: FileIdentity

    struct LastFrame: Sendable {
        let offset: UInt64
        /// As it lies in memory.
        private let start: InlineArray<9, UInt64>

        /// `bytes` is the frame.
        init(offset: UInt64, bytes: [UInt8]) {
            self.offset = offset
            let bytes = bytes.rawSpan
            start = InlineArray { bytes.uint64(at: 8 * $0).littleEndian }
        }

        /// The last of the frames that were read, as it was then; `nil` where none was.
        init?(_ result: TailReader.Result, of generation: Generation) throws(StorageError) {
            guard let last = result.last else { return nil }
            offset = last.offset
            let lead = try last.lead.encoded(keys: generation.keys, journal: generation.header.journal)
            let nonce = last.nonce
            start = [
                lead[0], lead[1], lead[2], lead[3], lead[4], lead[5],
                nonce.0.littleEndian, nonce.1.littleEndian, nonce.2.littleEndian,
            ]
        }

        /// Whether the frame is still there. A write whose sync failed may have been taken back, and a torn one that was
        /// read in pieces may have made room for another meanwhile.
        func isStillThere(in file: CheckedFile) throws(StorageError) -> Bool {
            let now: InlineArray<9, UInt64> = try file.words(at: offset)
            return start.indices.allSatisfy { start[$0] == now[$0] }
        }
    }

    /// What one transaction wanted overwritten.
    struct Erasure: Sendable {
        var sequence: UInt64
        var locations: [BoxLocation]
        /// The frame of a transaction that removed everything: all secret boxes before it.
        var everythingBefore: UInt64?
    }

    /// The state of a journal without its frames.
    init(_ generation: Generation, seen: FileIdentity) {
        self.generation = generation
        self.seen = seen
        end = generation.header.framesOffset
        sequence = generation.header.baseSequence
        erasedThrough = generation.header.baseSequence
        deadByteCount = generation.header.deadByteCount
    }

    /// What a writer needs to know, without the overlay: a copy of that would be copied in full when it changes.
    struct Position: Sendable {
        var generation: Generation
        var cursor: TailReader.Cursor
        var lastFrame: LastFrame?
        var erasedThrough: UInt64
        var pendingErasures: [Erasure]
        var deadByteCount: UInt64
        var tornByteCount: UInt64
        /// Length of the file, room included.
        var fileByteCount: UInt64
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
            fileByteCount: seen.size
        )
    }

    /// Where reading goes on.
    var cursor: TailReader.Cursor { TailReader.Cursor(end: end, sequence: sequence) }

    /// Applies the next frame, and says what it touched: everything, unless it is to be noted what.
    mutating func apply(_ frame: JournalFrame, noting: Bool = true) -> StoreChanges {
        end = frame.end
        sequence = frame.lead.sequence
        frameCount += 1
        deadByteCount = frame.head.deadByteCount
        markErased(through: frame.head.erasedThrough)
        if let erasure = Self.erasure(frame) { pendingErasures.append(erasure) }
        return overlay.apply(frame, noting: noting)
    }

    /// Notes that the secrets erased by transactions up to this one are overwritten.
    mutating func markErased(through sequence: UInt64) {
        guard sequence > erasedThrough else { return }
        erasedThrough = sequence
        pendingErasures.removeAll { $0.sequence <= sequence }
    }

    /// Notes where reading came to an end, and the last frame if one was read.
    mutating func finish(_ result: TailReader.Result, _ lastFrame: LastFrame?) {
        if case .torn = result.rest { tornByteCount = result.restByteCount } else { tornByteCount = 0 }
        if let lastFrame { self.lastFrame = lastFrame }
    }

    /// What a frame wants overwritten, if anything.
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

    /// What is needed to read one partition without holding on to the whole state.
    func view(of partition: PartitionTag) -> PartitionView {
        PartitionView(
            generation: generation,
            partition: partition,
            changed: overlay.partitions[partition],
            hidesSnapshot: overlay.hidesSnapshot
        )
    }
}
