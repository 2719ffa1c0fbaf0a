// SPDX-License-Identifier: Apache-2.0

extension [UInt8] {
    /// Creates an array with capacity for `capacity` bytes; `write` fills it and returns the number of bytes written.
    ///
    /// It appends to an empty array, because creating an uninitialised one looks up the type of its storage each time.
    @inline(__always)
    @unsafe init(capacity: Int, writtenBy write: (UnsafeMutableBufferPointer<UInt8>) -> Int) {
        self = []
        append(addingCapacity: capacity) { output in
            // SAFETY: the count is that of the initialized bytes, within the capacity.
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

extension [UInt8] {
    /// Overwrites the bytes with zeros. An array that shares the storage keeps its bytes.
    package mutating func wipe() {
        unsafe withUnsafeMutableBytes { bytes in
            // SAFETY: the buffer is lent for the call, and written only within its bounds.
            if let base = bytes.baseAddress { unsafe Sodium.wipe(base, byteCount: bytes.count) }
        }
    }
}
