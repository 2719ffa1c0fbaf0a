// SPDX-License-Identifier: Apache-2.0

import Foundation

/// How much to test: little every day, much before a release (`TOKEN_CACHE_TEST_SCALE=release`).
package enum Scale {
    /// Whether this run is the one before a release.
    package static let isRelease = ProcessInfo.processInfo.environment["TOKEN_CACHE_TEST_SCALE"] == "release"

    /// One of two sizes.
    package static func pick(_ everyday: Int, release: Int) -> Int {
        isRelease ? release : everyday
    }
}
