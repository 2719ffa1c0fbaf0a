// SPDX-License-Identifier: Apache-2.0

public import CacheAdministration
public import TokenCaching

/// The question before a sign-out, and the report after it.
public struct SignOutDialogue {
    /// The account to sign out.
    public let account: Account
    /// The cache of the application.
    public let cache: TokenCache
    /// The application's pending revocations for the account.
    public let pendingRevocations: [PendingRevocation]

    /// Finds the account, and asks for confirmation if it is signed in.
    ///
    /// - Parameters:
    ///   - options: the account and the application, and whether the user has confirmed in advance.
    ///   - group: the group.
    ///   - session: prompts the user.
    /// - Throws: ``CommandFailure`` if there is no such account, or the answer is no.
    public init(_ options: SignOutOptions, in group: CacheGroup, session: Session) throws {
        // A profile need not name one.
        guard let app = options.client else { throw CommandFailure(.usage, SignOutOptions.clientMissing) }
        let typed = options.account
        let names = TypedNames(group, session.console, use: options.beginning == nil ? .removalOfWhole : .removal)
        let name = try names.account(typed)
        cache = try session.cache(of: group, clientID: try names.client(app, of: name))
        let client = cache.clientID.lowercased()
        let pending = try group.pendingRevocations().filter { $0.clientID.lowercased() == client }
        account = try Self.account(name, isWholeID: name != TypedNames.withoutEllipsis(typed), in: cache, pending)
        pendingRevocations = pending.filter { [account] in $0.accountID == account.id }
        guard account.isSignedIn else { return }
        try session.prompt.confirm(
            "Sign \(account.shownName) out of app \(cache.clientID) in group \(session.groupName)?",
            isAnswered: options.yes
        )
    }

    /// The account, of which nothing may be left but pending revocations.
    private static func account(
        _ name: String,
        isWholeID: Bool,
        in cache: TokenCache,
        _ pending: [PendingRevocation]
    ) throws -> Account {
        do {
            return try cache.account(named: name, includesSignedOut: true, isWholeID: isWholeID)
        } catch let failure as CommandFailure where failure.status == .notFound {
            let named = pending.filter {
                $0.accountID == Account.ID(name) || Account.ID($0.accountID.homeAccountID) == Account.ID(name)
            }
            guard let kept = named.first else { throw failure }
            guard Set(named.map(\.accountID)).count == 1 else {
                throw CommandFailure(
                    .usage,
                    "Several accounts have the id \(name), at different issuers. Use one of these: "
                        + Set(named.map(\.accountID.text)).sorted().joined(separator: ", ") + "."
                )
            }
            return Account(
                id: kept.accountID,
                hasHomeAccountID: kept.hasHomeAccountID,
                environment: kept.environment,
                isSignedIn: false
            )
        }
    }

    /// Removes the application's pending revocations for the account.
    ///
    /// - Returns: their number.
    public func forgetRevocations() throws -> Int { try cache.forgetRevocations(accountID: account.id) }

    /// Reports what was done.
    ///
    /// - Parameters:
    ///   - session: the session to report to.
    ///   - forgottenCount: how many pending revocations were removed; nil if none were to be.
    ///   - more: writes additional members of the JSON document.
    public func report(to session: Session, forgottenCount: Int? = nil, more: (JSONWriter) -> Void = { _ in }) {
        if session.usesJSON {
            let json = JSONWriter(session.console.output)
            json.document {
                json.member("group", session.groupName)
                json.member("client_id", cache.clientID)
                json.member("username", account.username ?? "")
                json.account(account.hasHomeAccountID ? account.id : nil)
                json.member("was_signed_in", account.isSignedIn)
                if let forgottenCount { json.member("forgotten_revocations", forgottenCount) }
                more(json)
            }
        } else {
            session.console.remark(
                account.isSignedIn
                    ? "\(account.shownName) is signed out of app \(cache.clientID)."
                    : "\(account.shownName) was not signed in to app \(cache.clientID); it is now marked as signed out."
            )
            if let forgottenCount {
                session.console.remark(
                    forgottenCount == 0
                        ? "No revocation was pending."
                        : "\(HumanNumber.count(forgottenCount, one: "refresh token", many: "refresh tokens")) that could not "
                            + "be revoked \(forgottenCount == 1 ? "is" : "are") no longer kept."
                )
            }
        }
    }
}

extension Account {
    /// The username, or the id if there is none.
    public var shownName: String { username ?? id.text }
}
