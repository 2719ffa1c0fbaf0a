// SPDX-License-Identifier: Apache-2.0

/// What a list of accounts must say of one.
struct ExpectedAccount: Hashable {
    var id: String
    var isSignedIn: Bool
    /// Tenant and cloud of its profiles, in order.
    var profiles: [[String]]
}
