// SAFETY: `block` owns at least `byteCount` bytes and lives as long as the value, which is not copyable; spans of it
// cannot outlive it.

/// Bytes that must not be seen: a key, a token, a passphrase.
///
/// They lie in memory that is kept out of swap and core dumps, between inaccessible pages; they are wiped, the whole
/// capacity, when the value goes away, and gone in a forked child. There is one owner and no implicit copy. Making one
/// costs less than 100 ns up to 32 KiB; beyond that it is a mapping of its own. Safe to use from any thread.
@safe package struct SecretBytes: ~Copyable, Sendable {
    private let block: SecretBlock
    /// The process that made it.
    private let generation: UInt64
    /// Number of bytes.
    package private(set) var byteCount: Int

    /// Zero bytes, to be written through ``mutableBytes``.
    package init(byteCount: Int) throws(SealingError) {
        generation = SecretMemory.generation
        block = try SecretArena.take(byteCount: byteCount, generation)
        self.byteCount = byteCount
    }

    /// Room for `byteCount` bytes, as many of which count as `body` writes.
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

    /// A copy of `source`. The source stays what it is: whoever owns it wipes it.
    package init(copying source: RawSpan) throws(SealingError) {
        try self.init(byteCount: source.byteCount)
        unsafe source.withUnsafeBytes { bytes in
            if let base = bytes.baseAddress { unsafe block.base.copyMemory(from: base, byteCount: bytes.count) }
        }
    }

    /// A copy of `source` with a byte 80 behind it, then zeros up to `byteCount`, which is more than it has.
    init(padding source: RawSpan, to byteCount: Int) throws(SealingError) {
        try self.init(byteCount: byteCount)
        unsafe source.withUnsafeBytes { bytes in
            if let base = bytes.baseAddress { unsafe block.base.copyMemory(from: base, byteCount: bytes.count) }
            unsafe block.base.storeBytes(of: Padding.mark, toByteOffset: bytes.count, as: UInt8.self)
        }
    }

    /// `byteCount` bytes from the random generator of the kernel.
    package static func random(byteCount: Int) throws(SealingError) -> SecretBytes {
        var secret = try SecretBytes(byteCount: byteCount)
        var bytes = secret.mutableBytes
        Sodium.fillRandom(&bytes)
        return secret
    }

    deinit {
        SecretArena.giveBack(block, generation)
    }

    /// Makes sure that the bytes are there: in a child those of its parent read as zeros.
    ///
    /// One load from memory. Keys do this by themselves at every use.
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

    /// Hands the bytes to `body`. For a value stored in a class, whose ``bytes`` would outlive the access to it.
    package borrowing func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(bytes)
    }

    /// The bytes, to be changed in place.
    package var mutableBytes: MutableRawSpan {
        @_lifetime(&self)
        mutating get {
            let span = unsafe MutableRawSpan(_unsafeStart: block.base, byteCount: byteCount)
            return unsafe _overrideLifetime(span, mutating: &self)
        }
    }

    /// The first `count` bytes, to be changed in place.
    @_lifetime(&self)
    package mutating func mutablePrefix(_ count: Int) -> MutableRawSpan {
        precondition(count >= 0 && count <= byteCount, "a secret has no more bytes than it has")
        let span = unsafe MutableRawSpan(_unsafeStart: block.base, byteCount: count)
        return unsafe _overrideLifetime(span, mutating: &self)
    }

    /// Lets `body` write anew from the start on. What it does not reach stays what it was.
    ///
    /// - Returns: how many bytes it wrote.
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
        precondition(byteCount >= 0 && byteCount <= self.byteCount, "a secret cannot be truncated to more than it is")
        unsafe Sodium.wipe(block.base + byteCount, byteCount: self.byteCount - byteCount)
        self.byteCount = byteCount
    }

    /// Whether both hold the same bytes. Takes a time that depends on the lengths only.
    package borrowing func isEqual(to other: borrowing SecretBytes) -> Bool {
        Sodium.isEqual(bytes, other.bytes)
    }

    /// Where the bytes lie, for calls to libsodium. Valid as long as the value is.
    @inline(always)
    @unsafe var unsafeBase: UnsafeMutablePointer<UInt8> {
        unsafe block.base.assumingMemoryBound(to: UInt8.self)
    }
}

extension SecretBytes {
    /// Room for `byteCount` bytes, which `decode` writes; `nil` where it says that it could not.
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
