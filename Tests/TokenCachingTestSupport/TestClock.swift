// SPDX-License-Identifier: Apache-2.0

import Synchronization
import TokenCaching

/// A clock that stands still until it is moved.
final class TestClock: Sendable {
    private let seconds: Mutex<Int64>

    init(at seconds: Int64 = 1_700_000_000) {
        self.seconds = Mutex(seconds)
    }

    var now: Int64 {
        get { seconds.withLock { $0 } }
        set { seconds.withLock { $0 = newValue } }
    }

    func advance(by seconds: Int64) {
        self.seconds.withLock { $0 += seconds }
    }

    var wallClock: WallClock {
        WallClock { Timestamp(secondsSince1970: self.now) }
    }
}
