// SPDX-License-Identifier: Apache-2.0

// SAFETY: the label is a static string of 16 bytes; the words live until the span of them is used up.

/// The associated data that binds a box to its record: 64 bytes in a fixed layout.
///
/// label (16) · suite (1) · role (1) · kind (1) · 0 (1) · epoch (4) · sequence (8) · group (16) · tag (16); numbers are
/// little-endian.
struct RecordAssociatedData {
    static let suite: UInt8 = 1

    /// The part that all records of an epoch share, computed once.
    private let template: InlineArray<8, UInt64>

    init(group: GroupUUID, epoch: UInt32) {
        var words = InlineArray<8, UInt64>(repeating: 0)
        let label = unsafe UnsafeRawPointer(Label.recordBox.utf8Start)
        words[0] = unsafe label.loadUnaligned(as: UInt64.self)
        words[1] = unsafe label.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
        words[2] = (UInt64(Self.suite) | UInt64(epoch) << 32).littleEndian
        (words[4], words[5]) = group.wordsInMemoryOrder
        template = words
    }

    /// Passes the bytes for one box to `body`.
    @inline(always)
    func with<Result: ~Copyable>(
        role: BoxRole,
        tag: (UInt64, UInt64),
        kind: UInt8,
        sequence: UInt64,
        _ body: (RawSpan) throws(SealingError) -> Result
    ) throws(SealingError) -> Result {
        var words = template
        words[2] |= (UInt64(role.rawValue) << 8 | UInt64(kind) << 16).littleEndian
        words[3] = sequence.littleEndian
        words[6] = tag.0.littleEndian
        words[7] = tag.1.littleEndian
        return try body(unsafe words.span.bytes)
    }
}
