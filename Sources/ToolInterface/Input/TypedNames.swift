// SPDX-License-Identifier: Apache-2.0

public import CacheAdministration
import TokenCaching

/// Completes ids and usernames from the beginning that the user typed, as a narrow table shows it.
///
/// A complete id or username is never completed to a longer one. A text with an @ counts as a complete username, and so
/// does one for a username without an @, because the longer one that begins with it would be another user's.
public struct TypedNames {
    private let group: CacheGroup
    private let console: Console
    private let use: Use

    private static let longestList = 6
    /// Shorter texts are used as they are.
    private static let shortest = 4

    /// - Parameters:
    ///   - group: the group in which to search for names.
    ///   - console: where to say which name was completed.
    ///   - use: what the names select.
    public init(_ group: CacheGroup, _ console: Console, use: Use = .selection) {
        self.group = group
        self.console = console
        self.use = use
    }

    /// What names select.
    public enum Use: Sendable {
        /// Something to show or to use.
        case selection
        /// Something to remove: usernames have to be typed completely, because another user's name may begin in the same
        /// way.
        case removal
        /// Something to remove, where ids have to be typed completely, too, because the text may have been meant as the name
        /// of something else.
        case removalOfWhole
    }

    private var completesUsernames: Bool { use == .selection }

    /// The home account id of the account with the given name, or its username if it has no id.
    ///
    /// - Parameter typed: a home account id, a username, or the beginning of one or of the handle of an account.
    /// - Returns: the completed name; `typed` itself if it is a complete id or username, or if no account matches.
    /// - Throws: ``CommandFailure`` for an empty text, if several accounts match, or if something is to be removed and the
    ///   text is only the beginning of a username, or the username of several accounts.
    public func account(_ typed: String) throws -> String {
        let typed = Self.withoutEllipsis(typed)
        guard !typed.allSatisfy(\.isWhitespace) else {
            throw CommandFailure(.usage, "The name of the account is empty. List the accounts with cachetool accounts.")
        }
        let wanted = typed.lowercased()
        var isWhole = false
        var ids: Set<Account.ID> = []
        try group.forEachEntry(matching: EntryFilter(account: typed), readingNewest: false) {
            entry throws(TokenCacheError) in
            // The filter accepts a handle too, which is not a name to go on with.
            isWhole = isWhole || entry.accountHandle?.description != wanted
            if entry.username?.lowercased() == wanted, let id = entry.accountID { ids.insert(id) }
        }
        if !completesUsernames, ids.count > 1, !ids.contains(Account.ID(typed)) {
            throw CommandFailure(
                .usage,
                "\(ids.count) accounts have the username \(typed). Use one of their ids: "
                    + ids.map(\.text).sorted().joined(separator: ", ") + "."
            )
        }
        if isWhole { return typed }
        let completed =
            try typed.contains("@")
            ? nil
            : completed(typed, "accounts", of: nil) { entry in
                let handle = entry.accountHandle?.description
                let usernames = completesUsernames && entry.username?.contains("@") == true ? [entry.username] : []
                guard
                    use == .removalOfWhole
                        ? handle == wanted
                        : ([entry.accountID?.text, handle] + usernames).contains(where: {
                            $0?.lowercased().hasPrefix(wanted) == true
                        }),
                    let name = entry.accountID?.text ?? entry.username
                else { return nil }
                return (name, entry.username.map { $0 == name ? name : "\($0) (\(name))" } ?? name)
            }
        if let completed { return completed }
        if !completesUsernames { try refuseBeginning(typed) }
        try suggestUsername(near: typed)
        return typed
    }

    /// Names the username that is nearest to one that nobody has.
    private func suggestUsername(near typed: String) throws {
        var usernames: Set<String> = []
        try group.forEachEntry(readingNewest: false) { entry throws(TokenCacheError) in
            if let username = entry.username { usernames.insert(username) }
        }
        let longer = usernames.filter { $0.lowercased().hasPrefix(typed.lowercased()) }.min()
        guard let near = longer ?? Spelling.nearest(to: typed, among: usernames.sorted()) else { return }
        console.remark("No account has the username \(typed). Did you mean \(near)?")
    }

    private func refuseBeginning(_ typed: String) throws {
        let wanted = typed.lowercased()
        var usernames: Set<String> = []
        var isBeginningOfID = false
        try group.forEachEntry(readingNewest: false) { entry throws(TokenCacheError) in
            if let username = entry.username, username.lowercased().hasPrefix(wanted) { usernames.insert(username) }
            isBeginningOfID = isBeginningOfID || entry.accountID?.text.lowercased().hasPrefix(wanted) == true
        }
        if use == .removalOfWhole, isBeginningOfID {
            throw CommandFailure(
                .usage,
                "\(typed) is only the beginning of an account's id. Type the whole id, or use --account."
            )
        }
        guard let whole = usernames.min() else { return }
        throw CommandFailure(
            .usage,
            "\(typed) is only the beginning of a username, which other users may share. To remove something, type the "
                + "whole username, such as \(whole), or the home account id."
        )
    }

    /// The client id with the given beginning.
    ///
    /// - Parameters:
    ///   - typed: a client id, or its beginning.
    ///   - account: a home account id or username; if given, clients with entries of this account take precedence.
    /// - Returns: the completed id; `typed` itself if it is a complete id, or if no id begins with it.
    /// - Throws: ``CommandFailure`` if several ids begin with it.
    public func client(_ typed: String, of account: String? = nil) throws -> String {
        try id(typed, "client ids", of: account, \.clientID)
    }

    /// The tenant with the given beginning, likewise. A domain or a word such as `common` is not completed, because it may
    /// stand for a tenant without being stored.
    ///
    /// - Throws: ``CommandFailure``; `invalidRequest` for a URL.
    public func tenant(_ typed: String, of account: String? = nil) throws -> String {
        if typed.contains(where: "/?#".contains) {
            // A path of an issuer, or a URL, which the library refuses.
            try group.forEachEntry(matching: EntryFilter(tenant: typed), readingNewest: false) { _ in }
        }
        let isWord = ["common", "organizations", "consumers"].contains(typed.lowercased())
        return isWord || typed.contains(".") ? typed : try id(typed, "tenants", of: account, \.tenant)
    }

    private func id(
        _ typed: String,
        _ things: String,
        of account: String?,
        _ id: (EntrySummary) -> String?
    ) throws -> String {
        let typed = Self.withoutEllipsis(typed)
        if Self.isUUID(typed) { return typed }
        let wanted = typed.lowercased()
        func candidate(_ entry: EntrySummary) -> (name: String, shown: String)? {
            guard let name = id(entry), name.lowercased().hasPrefix(wanted) else { return nil }
            return (name, name)
        }
        if account != nil, let found = try completed(typed, things, of: account, candidate) { return found }
        // The application may have no entries of that account left.
        return try completed(typed, things, of: nil, candidate) ?? typed
    }

    /// - Returns: nil if no name begins with the typed text.
    private func completed(
        _ typed: String,
        _ things: String,
        of account: String?,
        _ candidate: (EntrySummary) -> (name: String, shown: String)?
    ) throws -> String? {
        guard typed.utf8.count >= Self.shortest else { return nil }
        var found: [String: (name: String, shown: String)] = [:]
        var count = 0
        let progress = ProgressLine("Searching", on: console)
        defer { progress.finish() }
        try group.forEachEntry(matching: EntryFilter(account: account), readingNewest: false) {
            entry throws(TokenCacheError) in
            count += 1
            progress.updateNowAndThen(entries: count)
            guard let candidate = candidate(entry) else { return }
            // Ids with an issuer are compared byte for byte.
            let key = Account.ID(candidate.name).issuer == nil ? candidate.name.lowercased() : candidate.name
            let known = found[key]
            // Only account entries contain the username.
            if known == nil || known?.shown == known?.name { found[key] = candidate }
        }
        if found[typed.lowercased()] != nil { return typed }
        guard found.count > 1 else {
            guard let only = found.first?.value else { return nil }
            progress.finish()
            console.remark("\(typed) was completed to \(only.shown).")
            return only.name
        }
        let shown = found.values.map(\.shown).sorted()
        throw CommandFailure(
            .usage,
            "\(shown.count) \(things) begin with \(typed): \(shown.prefix(Self.longestList).joined(separator: ", "))"
                + (shown.count > Self.longestList ? ", …" : "") + ". Type more of it."
        )
    }

    /// The text without white space around it, and without the ellipsis of a truncated name that was copied from a table.
    static func withoutEllipsis(_ typed: String) -> String {
        var text = typed.drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text.hasSuffix("…") ? text.dropLast() : text)
    }

    /// Whether the text is a complete UUID. Most ids are, and need no search.
    private static func isUUID(_ text: String) -> Bool {
        let groups = text.split(separator: "-", omittingEmptySubsequences: false)
        return groups.map(\.utf8.count) == [8, 4, 4, 4, 12] && groups.allSatisfy { $0.allSatisfy(\.isHexDigit) }
    }
}
