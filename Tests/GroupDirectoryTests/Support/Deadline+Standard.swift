// SPDX-License-Identifier: Apache-2.0

import RecordStorage

extension Deadline {
    /// Two seconds from now, as the library's own default is.
    static var standard: Deadline { .after(.seconds(2)) }
}
