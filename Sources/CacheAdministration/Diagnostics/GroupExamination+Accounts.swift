// SPDX-License-Identifier: Apache-2.0

internal import GroupDirectory
internal import GroupRecords
internal import RecordStorage
internal import TokenCaching
internal import UnifiedSchema

extension GroupExamination {
    /// Checks whether each account can still get tokens, and what makes tokens unusable. Uses at most half of the
    /// timeout, because other checks follow.
    mutating func accounts(in group: CacheGroup) {
        do throws(StorageError) {
            var census = CachedContent(now: WallClock.system.now().secondsSince1970)
            let isComplete = try census.read(group, until: min(deadline, .after(timeout / 2)))
            note(census)
            if !isComplete {
                note(
                    .accounts,
                    level: .note,
                    text: "only \(census.accountCount) accounts were checked before the timeout",
                    advice: "Allow more time: cachetool doctor --timeout 60."
                )
            }
        } catch {
            // The check of the records reports damaged ones.
            guard error.code != .damaged, error.code != .tokenGone else { return }
            note(.accounts, TokenCacheError(error))
        }
    }

    /// Says how many revocations are pending. Reads only the group's own records.
    mutating func revocations(in group: CacheGroup) {
        do throws(StorageError) {
            let pending = try group.pendingRevocations(until: min(deadline, .after(timeout / 2)))
            guard let first = pending.first else { return }
            let isOne = pending.count == 1
            let left = Self.spell(first.expiresOn.secondsSince1970 - WallClock.system.now().secondsSince1970)
            let subject =
                isOne
                ? "a refresh token that a sign-out removed is"
                : "\(pending.count) refresh tokens that sign-outs removed are"
            note(
                .accounts,
                level: .note,
                text:
                    "\(subject) kept, sealed, for another \(left), because \(isOne ? "it" : "they") could not be revoked",
                advice:
                    "cachetool doctor --revoke-pending tries again. To remove \(isOne ? "it" : "them"), sign out with --forget.",
                since: first.keptOn.secondsSince1970
            )
        } catch {
            // The check of the records reports damaged ones.
            guard error.code != .damaged, error.code != .tokenGone else { return }
            note(.accounts, TokenCacheError(error))
        }
    }

    private mutating func note(_ census: CachedContent) {
        let before = findings.count
        if census.helplessCount > 0 {
            let isOne = census.helplessCount == 1
            note(
                .accounts,
                level: requiresUsableAccounts ? .problem : .note,
                text:
                    "\(census.helplessCount) account\(isOne ? "" : "s") can no longer get tokens for every application: "
                    + "\(isOne ? "its" : "their") access tokens have expired, and there is no refresh token",
                advice: "Sign in again. cachetool accounts --all shows which \(isOne ? "it is" : "they are").",
                since: census.helplessSince
            )
        }
        if census.homonymCount > 0 {
            note(
                .accounts,
                level: .note,
                text:
                    "\(census.homonymCount) accounts share a username with another account, so the username is ambiguous",
                advice: "Select the account by its id, which cachetool accounts --all shows."
            )
        }
        if let refusedUntil = census.refusedUntil {
            let count = census.refusalCount
            note(
                .accounts,
                level: .note,
                text:
                    "a server refused \(count == 1 ? "a request" : "\(count) requests"), which no program of the group repeats"
                    + (refusedUntil == .max ? "" : " for \(Self.spell(refusedUntil - census.now))"),
                advice: refusedUntil == .max ? "Sign in again." : "Wait, or sign in again."
            )
        }
        if let newest = census.newestCaching, newest > census.now + ValidityInterval.largestMargin {
            note(
                .accounts,
                level: .note,
                text:
                    "the clock is \(Self.spell(newest - census.now)) behind the newest save, whose tokens count as expired until then",
                advice: "Set the clock of this machine, for example with timedatectl set-ntp true."
            )
        }
        if census.implausibleCount > 0 {
            let isOne = census.implausibleCount == 1
            note(
                .accounts,
                level: .note,
                text:
                    "\(census.implausibleCount) access token\(isOne ? " claims" : "s claim") to expire more than a century from now"
                    + (census.millisecondsCount > 0 ? ", perhaps because the time is in milliseconds" : "")
                    + ", and \(isOne ? "counts" : "count") as expired",
                advice:
                    "Nothing: the next renewal replaces \(isOne ? "it" : "them"). Report this to the developers of the program "
                    + "that wrote \(isOne ? "it" : "them")."
            )
        }
        guard findings.count == before else { return }
        note(.accounts, level: .fine, text: Self.phrase(census))
    }

    private static func phrase(_ census: CachedContent) -> String {
        let (all, without) = (census.accountCount, census.tokenlessCount)
        switch (all, without) {
        case (0, _): return "no account is stored"
        case (1, 0): return "its account can get tokens"
        case (_, 0): return "all \(all) accounts can get tokens"
        case (1, _): return "its account is signed out of every application"
        default:
            let verb = without == 1 ? "one is" : "\(without) are"
            return "\(all - without) of \(all) accounts can get tokens; \(verb) signed out of every application"
        }
    }

    /// Formats a duration, such as "3 min".
    private static func spell(_ seconds: Int64) -> String {
        switch seconds {
        case ..<120: "\(seconds) s"
        case ..<7_200: "\(seconds / 60) min"
        case ..<172_800: "\(seconds / 3_600) h"
        default: "\(seconds / 86_400) days"
        }
    }
}

/// Counts what the checks need from the entries of a group, without keeping the entries.
private struct CachedContent {
    let now: Int64
    var accountCount = 0
    /// Accounts for which no application has a token.
    var tokenlessCount = 0
    /// Accounts for which an application has neither a valid access token nor a refresh token.
    var helplessCount = 0
    var helplessSince: Int64?
    /// Accounts that share their username with another account.
    var homonymCount: Int { namesSeen.values.reduce(0) { $1 > 1 ? $0 + $1 : $0 } }
    var refusalCount = 0
    /// When the last refusal ends; `Int64.max` if that is unknown.
    var refusedUntil: Int64?
    var newestCaching: Int64?
    var implausibleCount = 0
    var millisecondsCount = 0
    private var namesSeen: [String: Int] = [:]

    init(now: Int64) {
        self.now = now
    }

    /// - Returns: whether everything was read before `end`.
    mutating func read(_ group: CacheGroup, until end: Deadline) throws(StorageError) -> Bool {
        let store = group.opened.store
        var listing = EntryListing(store, codec: group.opened.codec, filter: EntryFilter())
        for partition in try listing.partitions(until: end) {
            if end.hasPassed { return false }
            let found = try listing.entries(of: partition, until: end)
            take(found.entries, username: found.username, isOfAccount: found.isOfAccount)
            let contents = try store.contents(of: partition, until: end)
            for end in try PartitionEntries.activeRefusalEnds(contents, codec: group.opened.codec, now: now) {
                refusalCount += 1
                refusedUntil = max(refusedUntil ?? .min, end ?? .max)
            }
        }
        return true
    }

    private mutating func take(_ entries: [ListedEntry], username: String?, isOfAccount: Bool) {
        if isOfAccount { accountCount += 1 }
        if isOfAccount, let name = username?.lowercased(), !name.isEmpty { namesSeen[name, default: 0] += 1 }
        // When the last access token of each application expires.
        var ends: [String: Int64] = [:]
        var renewing: Set<String> = []
        var hasFamilyToken = false
        for entry in entries where !entry.record.lacksToken {
            let fields = entry.fields
            let client = fields.clientID.string
            switch entry.facts.kind {
            case .accessToken, .accessTokenWithAuthScheme:
                if let cached = fields.cachedAt { newestCaching = max(newestCaching ?? .min, cached) }
                guard let expiry = fields.expiresOn else { continue }
                if !ValidityInterval.isCredible(expiry, now: now) {
                    implausibleCount += 1
                    if ValidityInterval.isCredible(expiry / 1_000, now: now) { millisecondsCount += 1 }
                    continue
                }
                if isOfAccount, !entry.isApplicationToken { ends[client] = max(ends[client] ?? .min, expiry) }
            case .refreshToken, .familyRefreshToken, .primaryRefreshToken, .boundRefreshToken:
                if fields.familyID.map({ !$0.isBlank }) == true { hasFamilyToken = true }
                renewing.insert(client)
            // An ADAL item may contain a refresh token.
            case .legacySingleResourceToken, .opaque: renewing.insert(client)
            default: break
            }
        }
        if isOfAccount, ends.isEmpty, renewing.isEmpty { tokenlessCount += 1 }
        if hasFamilyToken { return }
        let helpless = ends.filter { $0.value <= now && !renewing.contains($0.key) }
        guard let last = helpless.values.max() else { return }
        helplessCount += 1
        helplessSince = max(helplessSince ?? .min, last)
    }
}
