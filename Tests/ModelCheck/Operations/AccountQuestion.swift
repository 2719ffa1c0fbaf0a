// SPDX-License-Identifier: Apache-2.0

/// Which accounts a list is to have.
struct AccountQuestion: Hashable, Sendable {
    var identifier: String?
    var username: String?
    var localAccountID: String?
    var includesSignedOut = false
}
