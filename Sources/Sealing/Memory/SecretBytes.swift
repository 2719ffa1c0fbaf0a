// SPDX-License-Identifier: Apache-2.0

// SAFETY: `block` owns at least `byteCount` bytes and lives as long as the value, which is not copyable; spans of it
// cannot outlive it.

/// Bytes that must not leak: a key, a token, a passphrase.
///
/// They are stored between guard pages, out of swap and core dumps; the whole capacity is wiped when the value is
/// destroyed, and a forked child reads zeros. There is one owner and no implicit copy. Creating one costs less than 100
/// ns up to 32 KiB; a larger one is a mapping of its own. Safe to use from any thread.
@safe package struct SecretBytes: ~Copyable, Sendable {
    private let block: SecretBlock
    /// The generation of the process that created it.
    private let generation: UInt64
    /// The number of bytes.
    package private(set) var byteCount: Int

    /// Zero bytes, to be written through ``mutableBytes``.
    package init(byteCount: Int) throws(SealingError) {
        generation = SecretMemory.generation
        block = try SecretArena.take(byteCount: byteCount, generation)
        self.byteCount = byteCount
    }

    /// Creates a value with capacity for `byteCount` bytes. Its length becomes the number of bytes that `body` writes.
    package init(
        byteCount: Int,
        initializingWith body: (inout OutputRawSpan) throws(SealingError) -> Void
    ) throws(SealingError) {
        let generation = SecretMemory.generation
        let block = try SecretArena.take(byteCount: byteCount, generation)
        let buffer = unsafe UnsafeMutableRawBufferPointer(start: block.base, count: byteCount)
        var output = unsafe OutputRawSpan(buffer: buffer, initializedCount: 0)
        do {
            try body(&output)
        } catch {
            SecretArena.giveBack(block, generation)
            throw error
        }
        self.block = block
        self.generation = generation
        self.byteCount = unsafe output.finalize(for: buffer)
    }

    /// Copies `source`, which its owner still has to wipe.
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

    /// `byteCount` bytes from the kernel's random generator.
    package static func random(byteCount: Int) throws(SealingError) -> SecretBytes {
        var secret = try SecretBytes(byteCount: byteCount)
        var bytes = secret.mutableBytes
        Sodium.fillRandom(&bytes)
        return secret
    }

    deinit {
        SecretArena.giveBack(block, generation)
    }

    /// Checks that the bytes are readable: in a forked child, those of the parent read as zeros.
    ///
    /// Costs one load. Keys do this by themselves at every use.
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

    /// Passes the bytes to `body`. For a value stored in a class, where ``bytes`` would outlive the access.
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

    /// Lets `body` overwrite the bytes from the start. The bytes that it does not reach are unchanged.
    ///
    /// - Returns: the number of bytes that it wrote.
    package mutating func overwrite(with body: (inout OutputRawSpan) -> Void) -> Int {
        let buffer = unsafe UnsafeMutableRawBufferPointer(start: block.base, count: byteCount)
        var output = unsafe OutputRawSpan(buffer: buffer, initializedCount: 0)
        body(&output)
        return unsafe output.finalize(for: buffer)
    }

    /// Another owner of the same bytes.
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

    /// Whether both hold the same bytes. The time depends only on the lengths.
    package borrowing func isEqual(to other: borrowing SecretBytes) -> Bool {
        Sodium.isEqual(bytes, other.bytes)
    }

    /// The address of the bytes, for calls to libsodium. Valid as long as the value is.
    @inline(always)
    @unsafe var unsafeBase: UnsafeMutablePointer<UInt8> {
        unsafe block.base.assumingMemoryBound(to: UInt8.self)
    }
}

extension SecretBytes {
    /// Creates `byteCount` bytes and lets `decode` write them; `nil` if it reports failure.
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
