internal import Sealing
internal import Synchronization

/// What is added to the revision of a store, so that it changes where the store changed and its word did not.
///
/// It lies in memory that is zero in a forked child, and is never zero in the process that made it: no answer that a parent
/// kept stands in its child, and lookups pay nothing for that but the way to this memory.
@safe struct Disturbance: ~Copyable, @unchecked Sendable {
    // SAFETY: it is the address of the memory below, which lives as long, and all access is atomic.
    private let word: UnsafePointer<Atomic<UInt64>>
    private let memory: SecretBytes

    /// Odd and large, so that no later word meets an earlier sum.
    private static let step: UInt64 = 0x9E37_79B9_7F4A_7C15

    init() throws(SealingError) {
        let memory = try SecretBytes(byteCount: MemoryLayout<UInt64>.size)
        guard let start = unsafe Self.address(of: memory) else {
            throw SealingError(.outOfMemory)
        }
        unsafe word = start.assumingMemoryBound(to: Atomic<UInt64>.self)
        unsafe word.pointee.store(Self.step, ordering: .relaxed)
        self.memory = memory
    }

    @unsafe private static func address(of memory: borrowing SecretBytes) -> UnsafeRawPointer? {
        unsafe memory.bytes.withUnsafeBytes { $0.baseAddress }
    }

    @inline(__always)
    func load() -> UInt64 { unsafe word.pointee.load(ordering: .relaxed) }

    /// Makes every sum so far count as old.
    func increase() {
        unsafe word.pointee.wrappingAdd(Self.step, ordering: .releasing)
    }
}
