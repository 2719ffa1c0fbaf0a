internal import Synchronization

/// Owns the memory of a revision word.
@safe final class MemoryWord: @unchecked Sendable {
    // SAFETY: the memory lives as long as this object and is accessed atomically.
    private let address: UnsafeMutablePointer<Atomic<UInt64>>

    init() {
        unsafe address = .allocate(capacity: 1)
        unsafe address.initialize(to: Atomic(0))
    }

    deinit {
        unsafe address.deinitialize(count: 1)
        unsafe address.deallocate()
    }

    var word: RevisionWord {
        unsafe RevisionWord(unsafeAddress: UnsafePointer(address))
    }

    func bump() {
        unsafe address.pointee.wrappingAdd(1, ordering: .acquiringAndReleasing)
    }
}
