// SPDX-License-Identifier: Apache-2.0

/// The message whose hash is a tag: a label, then each part preceded by its length, so that different lists of parts
/// give different bytes. It is usually on the stack, because a save makes seven of them.
@safe struct TagMessage: ~Copyable {
    // SAFETY: only `hash` makes values of this type, and the memory outlives it.
    private let room: UnsafeMutableRawBufferPointer
    private var byteCount = 0

    /// The 128-bit hash of a message with the parts that `write` appends. `partsByteCount` is the sum of their lengths
    /// plus four bytes for each.
    ///
    /// - Throws: ``SealingError/Code/forkedProcess``.
    @inline(__always)
    static func hash(
        _ label: StaticString,
        partsByteCount: Int,
        key: borrowing SealingKey,
        _ write: (inout TagMessage) -> Void
    ) throws(SealingError) -> (UInt64, UInt64) {
        let capacity = Label.byteCount + partsByteCount
        // SAFETY: the memory outlives the message; labels are static; only written bytes are hashed.
        return try unsafe withUnsafeTemporaryAllocation(byteCount: capacity, alignment: 8) {
            (room) throws(SealingError) in
            var message = unsafe TagMessage(room: room)
            unsafe message.append(UnsafeRawBufferPointer(start: label.utf8Start, count: label.utf8CodeUnitCount))
            write(&message)
            let bytes = unsafe UnsafeRawBufferPointer(rebasing: room[..<message.byteCount])
            return try KeyedHash.hash128(unsafe bytes.bytes, key: key)
        }
    }

    @unsafe private init(room: UnsafeMutableRawBufferPointer) {
        unsafe self.room = room
    }

    /// Appends the length (four bytes, little-endian) and the bytes of a part.
    @inline(__always)
    mutating func append(_ part: RawSpan) {
        // SAFETY: the buffers are only read, inside the closures.
        unsafe withUnsafeBytes(of: UInt32(part.byteCount).littleEndian) { unsafe append($0) }
        unsafe part.withUnsafeBytes { unsafe append($0) }
    }

    @inline(__always)
    @unsafe private mutating func append(_ bytes: UnsafeRawBufferPointer) {
        precondition(unsafe bytes.count <= room.count - byteCount, "the message is longer than announced")
        // SAFETY: there is room, as was just found.
        unsafe UnsafeMutableRawBufferPointer(rebasing: room[byteCount...]).copyMemory(from: bytes)
        byteCount += bytes.count
    }
}
