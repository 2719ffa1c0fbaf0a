internal import Synchronization

/// Waits for changes of a group in memory.
final class MemoryWatch: ChangeWatch {
    private let signal: MemorySignal
    private let seen: Atomic<UInt64>
    private let isStopped = Atomic<Bool>(false)

    init(_ signal: MemorySignal) {
        self.signal = signal
        seen = Atomic(signal.value)
    }

    let isPeriodic = false

    func wait() -> Bool {
        let now = signal.wait(after: seen.load(ordering: .relaxed)) { isStopped.load(ordering: .acquiring) }
        seen.store(now, ordering: .relaxed)
        return !isStopped.load(ordering: .acquiring)
    }

    func stop() {
        isStopped.store(true, ordering: .releasing)
        signal.raise(counting: false)
    }
}
