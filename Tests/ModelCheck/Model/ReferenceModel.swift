// SPDX-License-Identifier: Apache-2.0

/// What a group of token caches must do, written down in the most obvious way: a list of entries, and rules that are
/// filters over it. It shares no code with the cache and knows nothing of how that is built.
struct ReferenceModel {
    enum State: Hashable {
        case signedIn
        case signedOut
    }

    struct Membership: Hashable {
        var client: String
        var account: String
    }

    struct TenantText: Hashable {
        var account: String
        var cloud: String
        var text: String
    }

    var entries: [ModelEntry] = []
    var states: [Membership: State] = [:]
    var now: Int64
    /// Other states that would be as right as this one: where several entries mean one account or one application,
    /// which of them a save is laid over.
    var alternatives: [[ModelEntry]] = []
    /// When a client signed out of an account, an account was wiped, and all was cleared: numbers of changes.
    var flags: [Membership: Int] = [:]
    var wipes: [String: Int] = [:]
    var lastClear = 0
    /// Whose refresh tokens were refused for good, until the next sign-in or sign-out: where there is nothing else, that
    /// is the reason.
    var lost: Set<Membership> = []
    /// What the text that a request named as tenant turned out to be, for an account in a cloud.
    var tenantNotes: [TenantText: String] = [:]
    /// The renewals that have begun, by cache.
    var pending: [Int: PendingRenewal] = [:]
    private var commits = 0

    init(now: Int64) {
        self.now = now
    }

    mutating func nextCommit() -> Int {
        commits += 1
        return commits
    }

    func state(_ client: String, _ account: String) -> State? {
        states[Membership(client: client, account: account)]
    }

    mutating func setState(_ state: State, _ client: String, _ account: String) {
        states[Membership(client: client, account: account)] = state
        lost.remove(Membership(client: client, account: account))
    }

    // MARK: - Families

    /// The families that a client is in, in a cloud, by what was written of it last; nil where nothing is known.
    func statedFamilies(of client: String, in cloud: String) -> Set<String>? {
        let metadata = entries.filter { $0.isAppMetadata && $0.client == client && $0.cloud == cloud }
        return chosen(metadata).map { Set([$0.family].compactMap(\.self)) }
    }

    /// The families whose refresh tokens a client may try: without anything known, the one that there is.
    func families(of client: String, in cloud: String) -> Set<String> {
        statedFamilies(of: client, in: cloud) ?? ["1"]
    }

    /// The refresh tokens of an account that a client may spend: its own first, then those of its family.
    func refreshTokens(of client: String, _ account: String) -> (own: [ModelEntry], family: [ModelEntry]) {
        let tokens = entries.filter { $0.isRefreshToken && $0.account == account && !$0.isBlank }
        let own = tokens.filter { $0.client == client }
        let family = tokens.filter { token in
            token.client != client && token.family.map { families(of: client, in: token.cloud).contains($0) } ?? false
        }
        return (own, family)
    }

    // MARK: - Time

    func buffer(of token: ModelEntry, asked: Int64?) -> Int64 {
        guard let ends = token.seconds("expires_on"), let begins = token.seconds("cached_at") else {
            return max(0, asked ?? 300)
        }
        return max(0, min(asked ?? min(300, (ends - begins) / 5), (ends - begins) / 2))
    }

    func isExpired(_ token: ModelEntry, buffer asked: Int64?) -> Bool {
        guard let ends = token.seconds("expires_on") else { return true }
        let buffer = self.buffer(of: token, asked: asked)
        return ends - buffer <= now || isFromTheFuture(token, buffer: buffer) || isBeyondACentury(ends)
    }

    /// Such a time is in milliseconds, or damaged.
    func isBeyondACentury(_ time: Int64) -> Bool { time > now + 100 * 31_557_600 }

    func isFromTheFuture(_ token: ModelEntry, buffer: Int64) -> Bool {
        token.seconds("cached_at").map { $0 > now + buffer } ?? false
    }
}
