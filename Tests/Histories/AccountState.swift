// SPDX-License-Identifier: Apache-2.0

/// What an account is, in the plainest words: which save or renewal its tokens come from, if it is signed in.
package enum AccountState: Hashable, Sendable {
    case absent
    case signedIn(Int)
    case signedOut
}
