// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Tests that mount, change owners or become somebody else.
package enum Root {
    /// Whether they run: as root, and where `TOKEN_CACHE_REQUIRE_ROOT=1` says that none of them may be left out.
    package static let isHere = geteuid() == 0 || ProcessInfo.processInfo.environment["TOKEN_CACHE_REQUIRE_ROOT"] == "1"
}
