// SPDX-License-Identifier: Apache-2.0

/// Why a test cannot be carried out.
package struct Unfit: Error, CustomStringConvertible {
    package let reason: String

    package init(reason: String) {
        self.reason = reason
    }

    package var description: String { reason }
}
