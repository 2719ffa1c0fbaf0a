// SPDX-License-Identifier: Apache-2.0

import UnifiedSchema

/// A window over bytes in memory that arrive in pieces of a given size.
struct HeapWindow: DocumentWindow {
    private var window: [UInt8] = []
    private var rest: ArraySlice<UInt8>
    private let pieceSize: Int
    /// The largest window that was asked for.
    private(set) var peak = 0

    init(_ text: String, pieceSize: Int = .max) {
        self.init(Array(text.utf8), pieceSize: pieceSize)
    }

    init(_ bytes: [UInt8], pieceSize: Int = .max) {
        rest = bytes[...]
        self.pieceSize = pieceSize
    }

    var bytes: RawSpan {
        @_lifetime(borrow self)
        get { unsafe window.span.bytes }
    }

    mutating func refill(discarding count: Int, capacity: Int) throws(Never) -> Bool {
        window.removeFirst(count)
        let piece = rest.prefix(min(pieceSize, capacity - window.count))
        window.append(contentsOf: piece)
        rest = rest.dropFirst(piece.count)
        peak = max(peak, window.count)
        return rest.isEmpty
    }
}

/// Everything that a document holds, secrets copied.
struct ReadDocument {
    var entries: [(facts: EntryFacts, payload: [UInt8])] = []
    var bad: [SchemaError] = []

    init(
        _ window: HeapWindow,
        limits: DocumentLimits = DocumentLimits(),
        collectsBadEntries: Bool = false
    ) throws(SchemaError) {
        var window = window
        var reader = DocumentReader(limits: limits, collectsBadEntries: collectsBadEntries)
        do throws(DocumentError<Never>) {
            while let item = try reader.next(from: &window) {
                switch item {
                case .entry(let entry): entries.append((entry.facts, payload(entry.secrets, of: window.bytes)))
                case .bad(let error): bad.append(error)
                }
            }
        } catch {
            guard case .schema(let error) = error else { return }
            throw error
        }
    }
}

/// The payload of some secrets, in ordinary memory.
func payload(_ secrets: SecretRanges, of source: RawSpan) -> [UInt8] {
    [UInt8](capacity: SecretPayload.byteCount(secrets)) { output in
        SecretPayload.write(secrets, of: source, into: &output)
    }
}

extension [UInt8] {
    /// Bytes that `fill` lays down.
    init(capacity: Int, fill: (inout OutputRawSpan) -> Void) {
        self = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            var output = unsafe OutputRawSpan(buffer: UnsafeMutableRawBufferPointer(buffer), initializedCount: 0)
            fill(&output)
            count = unsafe output.finalize(for: UnsafeMutableRawBufferPointer(buffer))
        }
    }
}

/// The document that some entries make.
func write(
    _ entries: [(facts: EntryFacts, payload: [UInt8])],
    style: DocumentWriter.Style = .compact
) throws -> String {
    var text: [UInt8] = []
    var writer = DocumentWriter(style: style)
    func sink(_ bytes: RawSpan) {
        unsafe bytes.withUnsafeBytes { buffer in unsafe text.append(contentsOf: buffer) }
    }
    for entry in entries {
        try writer.write(entry.facts, payload: unsafe entry.payload.span.bytes, to: sink)
    }
    try writer.finish(to: sink)
    return String(decoding: text, as: UTF8.self)
}
