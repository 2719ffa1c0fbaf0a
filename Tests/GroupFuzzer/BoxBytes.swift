// SPDX-License-Identifier: Apache-2.0

/// Pieces of the sealed boxes that are in use in a journal: whether a record's bytes were lost can be told by them without
/// a key.
struct BoxBytes {
    /// Boxes stand at multiples of eight bytes, so none of the pieces is of two boxes.
    private typealias Piece = UInt64

    private static let byteCount = 8
    private static let distance = 32

    private struct Place {
        let offset: Int
        let piece: Piece
        /// The accounts with whose sign-out it goes.
        var accounts: Accounts = []
    }

    /// Accounts by their number.
    struct Accounts: OptionSet {
        let rawValue: UInt64

        init(rawValue: UInt64) { self.rawValue = rawValue }

        init(_ number: Int) { rawValue = 1 << UInt64(number) }
    }

    private var locations: [Place] = []

    init() {}

    /// The pieces of a journal that a compaction and a repair carried over.
    init(of journal: [UInt8], keptIn compacted: [UInt8], and repaired: [UInt8]) {
        // What a header says is no box, and is in its copy too.
        let kept = Self.all(in: compacted, from: 4_096).intersection(Self.all(in: repaired, from: 4_096))
            .subtracting(Self.all(in: Array(journal.prefix(4_096)), from: 0))
        for offset in stride(from: 4_096, to: max(journal.count - Self.byteCount, 4_096), by: Self.distance) {
            let piece = Self.piece(journal, offset)
            // Padding and what stands before boxes have zeros in them.
            let zeros = journal[offset..<offset + Self.byteCount].count { $0 == 0 }
            if zeros < 2, kept.contains(piece) { locations.append(Place(offset: offset, piece: piece)) }
        }
    }

    var count: Int { locations.count }

    /// Notes what goes with the sign-out of an account: what is not in the journal any more that a compaction left after it.
    mutating func note(signOutOf account: Int, leaving compacted: [UInt8]) {
        let gone = Set(locations.map(\.piece)).subtracting(Self.all(in: compacted, from: 4_096))
        for index in locations.indices where gone.contains(locations[index].piece) {
            locations[index].accounts.insert(Accounts(account))
        }
    }

    /// Those that still stand where they stood, but what goes with the sign-out of these accounts.
    func intact(in journal: [UInt8], without accounts: Accounts = []) -> BoxBytes {
        var rest = BoxBytes()
        rest.locations = locations.filter { $0.accounts.isDisjoint(with: accounts) && stands($0, in: journal) }
        return rest
    }

    private func stands(_ location: Place, in journal: [UInt8]) -> Bool {
        location.offset + Self.byteCount <= journal.count && Self.piece(journal, location.offset) == location.piece
    }

    /// How many of them are in none of these files.
    func missing(from files: [[UInt8]]) -> Int {
        if locations.isEmpty { return 0 }
        if let first = files.first, intact(in: first).count == count { return 0 }
        var missing = Set(locations.map(\.piece))
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
        return unsafe span.unsafeLoadUnaligned(fromByteOffset: offset, as: Piece.self)
    }
}
