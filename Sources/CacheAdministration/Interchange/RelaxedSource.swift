// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import RecordStorage
internal import TokenCaching
internal import UnifiedSchema

/// Reads a document as strict JSON, even if a program wrote a byte order mark or trailing commas.
final class RelaxedSource: ByteSource {
    private let source: any ByteSource
    private var json = RelaxedJSON()
    /// The first bytes, or bytes read ahead to decide about a comma: only punctuation, white space and one more byte.
    private var ahead: [UInt8] = []
    private var isAtStart = true
    private var isAtEnd = false

    /// How far to search past white space after a comma; no program writes longer runs.
    private static let longestLook = 64 << 10

    init(_ source: any ByteSource) {
        self.source = source
    }

    var totalByteCount: UInt64? { source.totalByteCount }

    var mayWait: Bool { source.mayWait }

    func read(into room: inout MutableRawSpan, from start: Int) throws(StorageError) -> Int {
        if isAtStart { try readMark() }
        if !ahead.isEmpty { return give(&room, start) }
        guard !isAtEnd else { return 0 }
        let count = try source.read(into: &room, from: start)
        guard let comma = json.tidy(&room, start..<start + count) else { return count }
        ahead = (comma..<start + count).map { room.bytes.byte(at: $0) }
        try lookBehindComma()
        return comma > start ? comma - start : give(&room, start)
    }

    /// Returns bytes that were read ahead.
    private func give(_ room: inout MutableRawSpan, _ start: Int) -> Int {
        let count = min(ahead.count, room.byteCount - start)
        room.copy(ahead.rawSpan.extracting(0..<count), to: start)
        ahead.removeFirst(count)
        return count
    }

    /// Blanks the comma that was read ahead if no member follows it.
    private func lookBehindComma() throws(StorageError) {
        while ahead.count < Self.longestLook {
            guard let byte = try readByte() else { return }
            guard let closes = RelaxedJSON.closes(byte) else { continue }
            if closes { ahead[0] = UInt8(ascii: " ") }
            return
        }
    }

    /// Blanks a byte order mark.
    private func readMark() throws(StorageError) {
        isAtStart = false
        while ahead.count < RelaxedJSON.byteOrderMark.count, try readByte() != nil {}
        guard ahead == RelaxedJSON.byteOrderMark else { return }
        ahead = Array(repeating: UInt8(ascii: " "), count: ahead.count)
        json = RelaxedJSON()
    }

    /// Reads one more byte ahead; nil at the end.
    private func readByte() throws(StorageError) -> UInt8? {
        if isAtEnd { return nil }
        var one: [UInt8] = [0]
        var span = one.mutableSpan
        // SAFETY: UInt8 has no padding, and takes any byte.
        var bytes = unsafe span.mutableBytes
        if try source.read(into: &bytes, from: 0) == 0 {
            isAtEnd = true
            return nil
        }
        _ = json.tidy(&bytes, 0..<1)
        ahead.append(one[0])
        return one[0]
    }
}
