// SPDX-License-Identifier: Apache-2.0

/// Something that happens to an account in one moment, between the beginning and the end of a call.
package struct Step: Sendable {
    package enum Action: Hashable, Sendable {
        /// An interactive sign-in.
        case save(Int)
        /// A renewal takes the place of what it spent, and of nothing else.
        case replace(old: Int, new: Int)
        case leave
        /// The account was seen like this.
        case see(AccountState)
        /// The account was seen signed in, with whatever token.
        case seeSignedIn
    }

    package let action: Action
    package let begin: UInt64
    /// Nil: it happened at any time since, or not at all.
    package let end: UInt64?
    /// The step, by its place in the list, that comes before this one.
    package var predecessor: Int?

    /// Whether it changes nothing.
    var isSight: Bool {
        switch action {
        case .see, .seeSignedIn: true
        case .save, .replace, .leave: false
        }
    }

    /// The save or renewal whose tokens it leaves, if it does.
    var made: Int? {
        switch action {
        case .save(let number), .replace(_, let number): number
        case .leave, .see, .seeSignedIn: nil
        }
    }

    /// The save or renewal whose tokens it sees or spends.
    var used: Int? {
        switch action {
        case .see(.signedIn(let number)), .replace(let number, _): number
        case .save, .leave, .see, .seeSignedIn: nil
        }
    }

    /// What the account is afterwards; nil where this step cannot happen to it now.
    func applied(to state: AccountState) -> AccountState? {
        switch action {
        case .save(let number): .signedIn(number)
        case .leave: .signedOut
        case .replace(let old, let new): state == .signedIn(old) ? .signedIn(new) : state
        case .see(let seen): state == seen ? state : nil
        case .seeSignedIn: if case .signedIn = state { state } else { nil }
        }
    }
}
