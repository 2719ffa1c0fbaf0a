// SPDX-License-Identifier: Apache-2.0

/// The kind of text that a search tag is derived from. Equal text in different domains gives different tags.
package enum SearchDomain: Sendable, CaseIterable {
    /// The username of an account.
    case username

    var label: StaticString {
        switch self {
        case .username: Label.usernameSearch
        }
    }
}
