/// Pieces of the sealed boxes that are in use in a journal: whether a record's bytes were lost can be told by them without
/// a key.
struct BoxBytes {
    private typealias Piece = SIMD2<UInt64>

    private static let byteCount = 16
    private static let distance = 32

    private var pieces: [(offset: Int, piece: Piece)] = []

    init() {}

    /// The pieces of a journal that a compaction and a repair carried over, which put boxes into orders of their own: so
    /// none of them is of two boxes.
    init(of journal: [UInt8], keptIn compacted: [UInt8], and repaired: [UInt8]) {
        // What a header says is no box, and is in its copy too.
        let kept = Self.all(in: compacted, from: 4_096).intersection(Self.all(in: repaired, from: 4_096))
            .subtracting(Self.all(in: Array(journal.prefix(4_096)), from: 0))
        for offset in stride(from: 4_096, to: max(journal.count - Self.byteCount, 4_096), by: Self.distance) {
            let piece = Self.piece(journal, offset)
            // Padding and what stands before boxes have zeros in them.
            let zeros = journal[offset..<offset + Self.byteCount].count { $0 == 0 }
            if zeros < 2, kept.contains(piece) { pieces.append((offset, piece)) }
        }
    }

    var count: Int { pieces.count }

    /// Those that still stand where they stood.
    func intact(in journal: [UInt8]) -> BoxBytes {
        var rest = BoxBytes()
        rest.pieces = pieces.filter { offset, piece in
            offset + Self.byteCount <= journal.count && Self.piece(journal, offset) == piece
        }
        return rest
    }

    /// How many of them are in none of these files.
    func missing(from files: [[UInt8]]) -> Int {
        if pieces.isEmpty { return 0 }
        if let first = files.first, intact(in: first).count == count { return 0 }
        var missing = Set(pieces.map(\.piece))
        for file in files where !missing.isEmpty {
            for offset in 0..<max(file.count - Self.byteCount + 1, 0) { missing.remove(Self.piece(file, offset)) }
        }
        return missing.count
    }

    private static func all(in bytes: [UInt8], from start: Int) -> Set<Piece> {
        var all: Set<Piece> = []
        for offset in start..<max(bytes.count - byteCount + 1, start) { all.insert(piece(bytes, offset)) }
        return all
    }

    private static func piece(_ bytes: [UInt8], _ offset: Int) -> Piece {
        let span = bytes.rawBytes
        // SAFETY: any bytes are a number.
        return unsafe Piece(
            span.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self),
            span.unsafeLoadUnaligned(fromByteOffset: offset + 8, as: UInt64.self)
        )
    }
}
