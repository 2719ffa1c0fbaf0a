// SPDX-License-Identifier: Apache-2.0

import Sealing
import Synchronization

/// Gives nonces, salts and ids that are the same in every run: the bytes 1, 2, 3 and so on, from request to request.
final class CountingSource: Sendable {
    private let next = Mutex<UInt8>(1)

    var random: RandomSource {
        .scripted { count in
            self.next.withLock { next in
                (0..<count).map { _ in
                    defer { next &+= 1 }
                    return next
                }
            }
        }
    }
}
