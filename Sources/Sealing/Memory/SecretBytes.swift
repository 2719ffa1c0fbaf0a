// SPDX-License-Identifier: Apache-2.0

// SAFETY: `block` owns at least `byteCount` bytes and lives as long as the value, which is not copyable; spans of it
// cannot outlive it.

/// Bytes that must not leak, such as a key, a token or a passphrase.
///
/// They are stored between guard pages and kept out of swap and core dumps. Destroying the value wipes its whole
/// capacity, and a forked child reads zeros. A value has one owner and is never copied implicitly. Creating one of up
/// to 32 KiB takes less than 100 ns; larger ones get a separate mapping. Thread-safe.
@safe package struct SecretBytes: ~Copyable, Sendable {
    private let block: SecretBlock
    /// The generation of the process that created it.
    private let generation: UInt64
    /// The number of bytes.
    package private(set) var byteCount: Int

    /// Creates zeroed bytes, to be written through ``mutableBytes``.
    package init(byteCount: Int) throws(SealingError) {
        generation = SecretMemory.generation
        block = try SecretArena.allocate(byteCount: byteCount, generation)
        self.byteCount = byteCount
    }

    /// Creates a value with capacity for `byteCount` bytes. Its length is the number of bytes that `body` writes.
    package init(
        byteCount: Int,
        initializingWith body: (inout OutputRawSpan) throws(SealingError) -> Void
    ) throws(SealingError) {
        let generation = SecretMemory.generation
        let block = try SecretArena.allocate(byteCount: byteCount, generation)
        let buffer = unsafe UnsafeMutableRawBufferPointer(start: block.base, count: byteCount)
        var output = unsafe OutputRawSpan(buffer: buffer, initializedCount: 0)
        do {
            try body(&output)
        } catch {
            SecretArena.free(block, generation)
            throw error
        }
        self.block = block
        self.generation = generation
        self.byteCount = unsafe output.finalize(for: buffer)
    }

    /// Copies `source`, whose owner remains responsible for wiping it.
    package init(copying source: RawSpan) throws(SealingError) {
        try self.init(byteCount: source.byteCount)
        unsafe source.withUnsafeBytes { bytes in
            if let base = bytes.baseAddress { unsafe block.base.copyMemory(from: base, byteCount: bytes.count) }
        }
    }

    /// Copies `source`, then appends a byte 0x80 and zeros up to `byteCount`, which must be larger than the source.
    init(padding source: RawSpan, to byteCount: Int) throws(SealingError) {
        try self.init(byteCount: byteCount)
        unsafe source.withUnsafeBytes { bytes in
            if let base = bytes.baseAddress { unsafe block.base.copyMemory(from: base, byteCount: bytes.count) }
            unsafe block.base.storeBytes(of: Padding.mark, toByteOffset: bytes.count, as: UInt8.self)
        }
    }

    /// Creates `byteCount` bytes from the kernel's random generator.
    package static func random(byteCount: Int) throws(SealingError) -> SecretBytes {
        var secret = try SecretBytes(byteCount: byteCount)
        var bytes = secret.mutableBytes
        Sodium.fillRandom(&bytes)
        return secret
    }

    deinit {
        SecretArena.free(block, generation)
    }

    /// Checks that the bytes are readable, because the parent's bytes read as zeros in a forked child.
    ///
    /// Costs one load. Keys check this at every use.
    ///
    /// - Throws: ``SealingError/Code/forkedProcess``.
    @inline(always)
    package borrowing func checkProcess() throws(SealingError) {
        if !SecretMemory.isCurrent(generation) { throw SealingError(.forkedProcess) }
    }

    /// The bytes. In a forked child they read as zeros.
    package var bytes: RawSpan {
        @_lifetime(borrow self)
        borrowing get {
            let span = unsafe RawSpan(_unsafeStart: UnsafeRawPointer(block.base), byteCount: byteCount)
            return unsafe _overrideLifetime(span, borrowing: self)
        }
    }

    /// Passes the bytes to `body`. Use it for a value stored in a class, where ``bytes`` would outlive the access.
    package borrowing func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(bytes)
    }

    /// The bytes, mutable in place.
    package var mutableBytes: MutableRawSpan {
        @_lifetime(&self)
        mutating get {
            let span = unsafe MutableRawSpan(_unsafeStart: block.base, byteCount: byteCount)
            return unsafe _overrideLifetime(span, mutating: &self)
        }
    }

    /// The first `count` bytes, mutable in place.
    @_lifetime(&self)
    package mutating func mutablePrefix(_ count: Int) -> MutableRawSpan {
        precondition(count >= 0 && count <= byteCount, "the range is outside the secret")
        let span = unsafe MutableRawSpan(_unsafeStart: block.base, byteCount: count)
        return unsafe _overrideLifetime(span, mutating: &self)
    }

    /// Lets `body` overwrite the bytes from the start. Bytes past its output are unchanged.
    ///
    /// - Returns: the number of bytes that it wrote.
    package mutating func overwrite(with body: (inout OutputRawSpan) -> Void) -> Int {
        let buffer = unsafe UnsafeMutableRawBufferPointer(start: block.base, count: byteCount)
        var output = unsafe OutputRawSpan(buffer: buffer, initializedCount: 0)
        body(&output)
        return unsafe output.finalize(for: buffer)
    }

    /// A copy of the bytes.
    package borrowing func copy() throws(SealingError) -> SecretBytes {
        try checkProcess()
        return try SecretBytes(copying: bytes)
    }

    /// Keeps the first `byteCount` bytes and wipes the others.
    package mutating func truncate(to byteCount: Int) {
        precondition(byteCount >= 0 && byteCount <= self.byteCount, "a secret cannot be truncated to a greater length")
        unsafe Sodium.wipe(block.base + byteCount, byteCount: self.byteCount - byteCount)
        self.byteCount = byteCount
    }

    /// Whether both contain the same bytes, compared in time that depends only on the lengths.
    package borrowing func isEqual(to other: borrowing SecretBytes) -> Bool {
        Sodium.isEqual(bytes, other.bytes)
    }

    /// The address of the bytes, for calls to libsodium. Valid as long as the value exists.
    @inline(always)
    @unsafe var unsafeBase: UnsafeMutablePointer<UInt8> {
        unsafe block.base.assumingMemoryBound(to: UInt8.self)
    }
}

extension SecretBytes {
    /// Creates `byteCount` bytes and lets `decode` write them; `nil` if `decode` returns false.
    package static func decoded(
        byteCount: Int,
        by decode: (inout OutputRawSpan) -> Bool
    ) throws(SealingError) -> SecretBytes? {
        var isDecoded = false
        let bytes = try SecretBytes(byteCount: byteCount) { output throws(SealingError) in isDecoded = decode(&output) }
        if isDecoded { return bytes }
        return nil
    }
}
