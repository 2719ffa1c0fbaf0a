// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import RecordStorage

/// Invalidates the answers of engines in a forked child, before the child does anything else.
///
/// Repeating an answer checks the engine's word anyway, so this adds no cost. A child created without the C library is
/// not notified; there, as everywhere, secrets and calls to the store are refused because the kernel zeroes the page of
/// the ``ForkSentinel``.
@safe final class ForkedEngines: @unchecked Sendable {
    // SAFETY: accessed only with the lock held, which the forking thread holds too. An engine is removed before it is
    // deallocated.
    private let lock = ForkableLock()
    private var engines: [UInt: Unmanaged<Engine>] = unsafe [:]

    static let shared = ForkedEngines()

    private init() {
        pthread_atfork(
            { ForkedEngines.shared.lock.lock() },
            { ForkedEngines.shared.lock.unlock() },
            { ForkedEngines.shared.isChildNow() }
        )
    }

    func add(_ engine: Engine) {
        lock.lock()
        unsafe engines[engine.address] = .passUnretained(engine)
        lock.unlock()
    }

    func remove(_ engine: Engine) {
        lock.lock()
        unsafe engines[engine.address] = nil
        lock.unlock()
    }

    private func isChildNow() {
        var rest = unsafe engines.values.makeIterator()
        while let engine = unsafe rest.next() { unsafe engine._withUnsafeGuaranteedRef { $0.invalidateAll() } }
        lock.unlock()
    }
}
