// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Something that becomes true once, for all threads.
final class Flag: Sendable {
    private let value = Atomic<Bool>(false)

    var isRaised: Bool { value.load(ordering: .acquiring) }

    func raise() { value.store(true, ordering: .releasing) }
}

/// A number that threads share.
final class Counter: Sendable {
    private let number = Atomic<UInt64>(0)

    var value: UInt64 { number.load(ordering: .acquiring) }

    func set(_ value: UInt64) { number.store(value, ordering: .releasing) }
}
