// SPDX-License-Identifier: Apache-2.0

public import CacheAdministration
public import TokenCaching

/// The question before a sign-out, and the report after it.
public struct SignOutDialogue {
    /// The account to sign out.
    public let account: Account
    /// The cache of the application.
    public let cache: TokenCache

    /// Finds the account, and asks for confirmation if it is signed in.
    ///
    /// - Parameters:
    ///   - name: a home account id, or its beginning, or a username.
    ///   - options: the application, and whether the user has confirmed in advance.
    ///   - group: the group.
    ///   - session: prompts the user.
    /// - Throws: ``CommandFailure`` if there is no such account, or the answer is no.
    public init(_ name: String, options: SignOutOptions, in group: CacheGroup, session: Session) throws {
        let names = TypedNames(group, session.console, isForRemoval: true)
        let name = try names.account(name)
        cache = try session.cache(of: group, clientID: try names.client(options.client, of: name))
        account = try cache.account(named: name, includesSignedOut: true)
        guard account.isSignedIn else { return }
        try session.prompt.confirm("Sign \(account.shownName) out of app \(cache.clientID)?", isAnswered: options.yes)
    }

    /// Reports what was done.
    ///
    /// - Parameters:
    ///   - session: the session to report to.
    ///   - more: writes additional members of the JSON document.
    public func report(to session: Session, more: (JSONWriter) -> Void = { _ in }) {
        if session.usesJSON {
            let json = JSONWriter(session.console.output)
            json.document {
                json.member("group", session.groupName)
                json.member("client_id", cache.clientID)
                json.member("username", account.username ?? "")
                json.member("home_account_id", account.hasHomeAccountID ? account.id.text : nil)
                json.member("was_signed_in", account.isSignedIn)
                more(json)
            }
        } else {
            session.console.remark(
                account.isSignedIn
                    ? "\(account.shownName) is signed out of app \(cache.clientID)."
                    : "\(account.shownName) was not signed in to app \(cache.clientID); it is now marked as signed out."
            )
        }
    }
}

extension Account {
    /// The username, or the id if there is none.
    public var shownName: String { username ?? id.text }
}
