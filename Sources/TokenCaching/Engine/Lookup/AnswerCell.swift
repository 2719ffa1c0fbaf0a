// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Holds the last answer of one query, for any number of threads that load and replace it concurrently.
///
/// Loading never waits and never allocates: a reader increments the count of readers, loads the reference, retains the
/// answer and decrements the count. A writer swaps the reference and keeps the old answer until it has seen a moment
/// without readers. Queries share nothing, so threads that use different queries do not touch a common cache line.
@safe struct AnswerCell: ~Copyable, Sendable {
    /// The number of readers between their load and their retain.
    private let readers = Atomic<Int>(0)
    /// Owns one reference.
    private let current: Atomic<Unmanaged<TokenAnswer>?>
    /// Replaced answers that a reader may still be about to retain. Also serialises writers.
    private let replaced = Mutex<[TokenAnswer]>([])

    init() {
        unsafe current = Atomic(nil)
    }

    deinit {
        // SAFETY: no other code can reach a cell in its deinit; the cell owned this reference.
        unsafe current.load(ordering: .acquiring)?.release()
    }

    /// The last answer.
    @inline(__always)
    borrowing func load() -> TokenAnswer? {
        // Sequentially consistent on both sides: either the writer sees this reader, or this reader sees the new
        // answer.
        readers.wrappingAdd(1, ordering: .sequentiallyConsistent)
        // SAFETY: a writer that swaps the reference now keeps the old answer alive until it sees no reader.
        let answer = unsafe current.load(ordering: .sequentiallyConsistent)?.takeUnretainedValue()
        readers.wrappingSubtract(1, ordering: .sequentiallyConsistent)
        return answer
    }

    /// Replaces the last answer.
    borrowing func store(_ answer: TokenAnswer) {
        replaced.withLock { waiting in
            // SAFETY: the cell receives one reference, and the list receives the one that the cell had.
            let old = unsafe current.exchange(.passRetained(answer), ordering: .sequentiallyConsistent)
            if let old = unsafe old?.takeRetainedValue() { waiting.append(old) }
            if readers.load(ordering: .sequentiallyConsistent) == 0 { waiting.removeAll() }
        }
    }
}
