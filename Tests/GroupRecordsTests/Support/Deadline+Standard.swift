// SPDX-License-Identifier: Apache-2.0

import RecordStorage

extension Deadline {
    /// Of an ordinary call.
    static var standard: Deadline { .after(.seconds(2)) }
}
