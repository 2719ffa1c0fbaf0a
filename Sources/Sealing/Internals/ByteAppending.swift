extension [UInt8] {
    /// Bytes that `write` puts into a room of `capacity` bytes; it gives their number.
    ///
    /// Appended to an empty array: one that is made uninitialised looks up the type of its storage each time.
    @inline(__always)
    @unsafe init(capacity: Int, writtenBy write: (UnsafeMutableBufferPointer<UInt8>) -> Int) {
        self = []
        append(addingCapacity: capacity) { output in
            // SAFETY: what counts is what was written, within the room that there is.
            unsafe output.withUnsafeMutableBufferPointer { room, count in unsafe count = write(room) }
        }
    }

    /// The ASCII bytes of a label.
    init(label: StaticString) {
        self = []
        append(label)
    }

    mutating func append(_ label: StaticString) {
        unsafe append(contentsOf: UnsafeBufferPointer(start: label.utf8Start, count: label.utf8CodeUnitCount))
    }
}
