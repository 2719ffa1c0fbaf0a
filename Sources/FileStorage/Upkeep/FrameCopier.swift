// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupDirectory
internal import RecordStorage

/// Copies frames of a journal to a new one, whose snapshot contains everything before those frames.
struct FrameCopier {
    private let source: Generation
    private let target: CheckedFile
    private let header: JournalHeader
    private var relocation: Relocation
    /// The position after the last copied frame, in the old file.
    private(set) var cursor: TailReader.Cursor
    /// The last copied frame; nil if the old journal had none.
    private var lastFrame: JournalState.LastFrame?
    /// The offset of the next frame in the new file.
    private(set) var end: UInt64
    /// The locations in the new file of secret boxes that a copied frame erases.
    private(set) var erasedLocations: [BoxLocation] = []
    /// The erasures of the copied frames in the old file.
    private(set) var erasures: [JournalState.Erasure] = []
    /// True if one of the frames removed everything, which makes the copy useless.
    private(set) var removesAll = false
    private var oldDeadByteCount: UInt64
    private var deadByteCount: UInt64

    /// Starts at the old journal's position when the snapshot was taken.
    init(
        from position: JournalState.Position,
        to target: CheckedFile,
        header: JournalHeader,
        relocation: Relocation
    ) {
        source = position.generation
        cursor = position.cursor
        lastFrame = position.lastFrame
        oldDeadByteCount = position.deadByteCount
        self.target = target
        self.header = header
        self.relocation = relocation
        end = header.framesOffset
        deadByteCount = header.deadByteCount
    }

    /// Copies all valid frames that are currently in the old file.
    ///
    /// - Returns: what follows them, and its length; `nil` if the copy is useless, because a copied frame was undone
    ///   after a failed sync or another journal was written over the file.
    mutating func carry(
        in directory: GroupDirectory
    ) throws(StorageError) -> (rest: TailReader.Rest, byteCount: UInt64)? {
        // Read the note first: otherwise a frame appended and noted between the two reads would seem to be missing.
        let note = SyncNote(of: source, in: directory)
        let size = try source.file.currentStatus().identity.size
        guard size >= cursor.end, try source.header.isStored(at: 0, in: source.file),
            try lastFrame?.isStillThere(in: source.file) ?? true
        else { return nil }
        let reader = TailReader(generation: source, note: note)
        var frames: [JournalFrame] = []
        let result = try reader.read(from: cursor, fileByteCount: size) { frames.append($0) }
        for frame in frames { try carry(frame) }
        cursor = result.cursor
        lastFrame = result.last.map { JournalState.LastFrame($0) } ?? lastFrame
        return (result.rest, result.restByteCount)
    }

    private mutating func carry(_ frame: JournalFrame) throws(StorageError) {
        let bytes = try source.file.read(at: frame.offset, count: Int(frame.lead.frameByteCount))
        guard bytes.count == Int(frame.lead.frameByteCount) else {
            throw StorageError(.damaged, path: source.file.path, detail: "the file ends within a frame")
        }
        deadByteCount += frame.head.deadByteCount - min(frame.head.deadByteCount, oldDeadByteCount)
        oldDeadByteCount = frame.head.deadByteCount
        if let erasure = JournalState.erasure(frame) { erasures.append(erasure) }
        let head = FrameHead(
            erasedThrough: frame.head.erasedThrough,
            deadByteCount: min(deadByteCount, end),
            operations: frame.head.operations.map { translated($0) }
        )
        let factsStart = Int(frame.factsOffset - frame.offset)
        let secrets = Int(frame.lead.secretsOffset)..<Int(frame.secretsEnd - frame.offset)
        var factsByteCount = 0
        for case .put(let put) in head.operations { factsByteCount += Int(put.factsByteCount) }
        let built = try FrameBuilder(header: header, keys: source.keys).frame(
            head,
            sequence: frame.lead.sequence,
            facts: bytes.rawSpan.extracting(factsStart..<factsStart + factsByteCount),
            secrets: bytes.rawSpan.extracting(secrets),
            at: end
        )
        try target.write(built.bytes.rawSpan, at: end)
        // A frame copied later may remove the secrets copied now.
        relocation.append(frame.secretsOffset..<frame.secretsEnd, to: built.frame.secretsOffset)
        end = built.frame.end
    }

    private mutating func translated(_ operation: FrameOperation) -> FrameOperation {
        switch operation {
        case .put: return operation
        case .removeAll:
            removesAll = true
            return operation
        case .remove(var remove):
            // Secrets that were already dead were not copied.
            remove.locations = remove.locations.compactMap { relocation.location(of: $0) }
            erasedLocations += remove.locations
            return .remove(remove)
        }
    }
}
