// SPDX-License-Identifier: Apache-2.0

import RecordStorage
import Synchronization

/// Keeps the leases that several threads got.
final class Tally: Sendable {
    private let leases = Mutex<[any StoreLease]>([])

    var count: Int { leases.withLock { $0.count } }

    func keep(_ lease: any StoreLease) {
        leases.withLock { $0.append(lease) }
    }
}
