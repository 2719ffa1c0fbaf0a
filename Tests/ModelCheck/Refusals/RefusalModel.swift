// SPDX-License-Identifier: Apache-2.0

/// What comes of a renewal, and whether a server is asked. Where tokens live equally long, any of them will do.
struct ExpectedRenewal: Hashable {
    var isAsked: Bool
    /// As ``RefusalRun`` words it; empty where there is no refresh token: then any reason will do.
    var outcomes: Set<String>

    init(_ outcomes: Set<String>, isAsked: Bool = false) {
        self.isAsked = isAsked
        self.outcomes = outcomes
    }
}

/// What a group of processes must remember of refusals, written down in the most obvious way. It knows nothing of how tags
/// and records are made: what a note is about is a value.
struct RefusalModel {
    struct Server: Hashable {
        var host: String
        var tenant: String
    }

    /// Whose notes go together with an account's sign-in, and lie beside each other.
    enum Place: Hashable {
        case account(String)
    }

    enum Subject: Hashable {
        case request(Server, scopes: Set<String>, claims: Bool, token: Int)
        case declined(Server, scopes: Set<String>, claims: Bool)
        case token(Int)
        case trouble(Server, scopes: Set<String>, claims: Bool)
    }

    struct Key: Hashable {
        var client: String
        var location: Place
        var subject: Subject
    }

    struct Note: Hashable {
        var madeOn: Int64
        var until: Int64
        /// What was granted, of declined scopes.
        var granted: Set<String> = []
        var isMismatch = false
        /// A server in trouble waits longer each time, if the last time is not long ago: so such a note stays for as long
        /// as it was in effect, a minute at most.
        var leavesAt: Int64 { stays ? until + min(until - madeOn, 60) : until }
        var stays = false
    }

    struct Holder: Hashable {
        var client: String
        var account: String
        var host: String
    }

    struct AccessToken: Hashable {
        var holder: Holder
        var tenant: String
        var scopes: Set<String>
        var madeOn: Int64
        var lifetime: Int64
        var secret: String
    }

    private(set) var now: Int64
    private var refreshTokens: [Holder: Int] = [:]
    private var accessTokens: [AccessToken] = []
    private var notes: [Key: Note] = [:]
    private var tokenCount = 0

    init(now: Int64) {
        self.now = now
    }

    mutating func wait(_ seconds: Int64) { now += seconds }

    // MARK: - Names

    static func server(_ host: String, _ tenant: String?) -> Server {
        let host = Clouds.cloud(of: host)
        let tenant = folded(tenant ?? "common")
        return Server(host: host, tenant: ["common", "organizations"].contains(tenant) ? "t1" : tenant)
    }

    private static func isEntra(_ host: String) -> Bool { Clouds.isKnown(host) }

    // MARK: - Tokens

    private func good(_ holder: Holder, _ tenant: String, covering scopes: Set<String>) -> Set<String> {
        let tokens = accessTokens.filter { token in
            let margin = token.lifetime / 5
            return token.holder == holder && token.tenant == tenant && scopes.isSubset(of: token.scopes)
                && token.madeOn - margin <= now && now < token.madeOn + token.lifetime - margin
        }
        let last = tokens.map { $0.madeOn + $0.lifetime }.max()
        return Set(tokens.filter { $0.madeOn + $0.lifetime == last }.map(\.secret))
    }

    private mutating func store(_ token: AccessToken, rotates: Bool) {
        // What has ended goes with the account's next save, and does not come back where the clock does.
        accessTokens.removeAll { old in
            old.holder.client == token.holder.client && old.holder.account == token.holder.account
                && old.madeOn + old.lifetime <= now
        }
        accessTokens.removeAll {
            $0.holder == token.holder && $0.tenant == token.tenant && !$0.scopes.isDisjoint(with: token.scopes)
        }
        accessTokens.append(token)
        if rotates {
            tokenCount += 1
            refreshTokens[token.holder] = tokenCount
        }
    }

    mutating func signIn(_ client: String, _ account: String, _ server: Server, lifetime: Int64, secret: String) {
        let holder = Holder(client: client, account: account, host: server.host)
        store(made(holder, server, ["a"], lifetime, secret), rotates: true)
        dropEnded(in: .account(account))
        notes = notes.filter { key, _ in
            guard key.client == client, key.location == .account(account) else { return true }
            if case .trouble(let other, _, _) = key.subject { return other.host != server.host }
            return false
        }
    }

    // MARK: - Notes

    private func stands(_ note: Note) -> Bool {
        note.madeOn <= now && now < note.until
    }

    private mutating func keep(_ note: Note, _ key: Key) {
        dropEnded(in: key.location)
        notes[key] = note
    }

    /// What has ended leaves with the next change, and does not come back where the clock does.
    private mutating func dropEnded(in location: Place) {
        let now = now
        notes = notes.filter { key, note in key.location != location || note.leavesAt > now }
    }

    // MARK: - Renewals

    /// - Parameters:
    ///   - question: what is wanted.
    ///   - answer: what the server says if it is asked.
    ///   - client: who wants it.
    ///   - secret: of the access token that comes.
    /// - Returns: what comes of it.
    mutating func renew(
        _ question: RefusalQuestion,
        _ answer: ServerAnswer,
        client: String,
        secret: String
    ) -> ExpectedRenewal {
        let server = Self.server(question.host, question.tenant)
        let holder = Holder(client: client, account: question.account, host: server.host)
        let wanted = Set(question.scopes.map(folded))
        let good = good(holder, server.tenant, covering: wanted)
        let passes = question.isForced || question.asksForClaims
        if !good.isEmpty, !passes { return ExpectedRenewal(valid(good)) }
        guard let token = refreshTokens[holder] else { return ExpectedRenewal([]) }
        // While the server cannot help, a valid token is returned, unless the question is for another one.
        let unavailable = good.isEmpty || passes ? ["error renewalUnavailable"] : valid(good)

        func key(_ subject: Subject) -> Key {
            Key(client: client, location: .account(question.account), subject: subject)
        }
        let trouble = Subject.trouble(server, scopes: wanted, claims: question.asksForClaims)
        let request = Subject.request(server, scopes: wanted, claims: question.asksForClaims, token: token)
        let declined = Subject.declined(server, scopes: wanted, claims: question.asksForClaims)
        if !passes, let note = notes[key(declined)], stands(note) {
            let part = self.good(holder, server.tenant, covering: note.granted)
            if !part.isEmpty { return ExpectedRenewal(Set(part.map { "declined with \($0)" })) }
        }
        if let note = notes[key(trouble)], stands(note) { return ExpectedRenewal(unavailable) }
        if let block = notes[key(.token(token))] {
            return ExpectedRenewal([block.isMismatch ? "interaction accountMismatch" : "interaction renewalRefused"])
        }
        if !question.isForced, let note = notes[key(request)], stands(note) {
            return ExpectedRenewal(["interaction renewalRefused"])
        }

        switch answer {
        case .unreachable: return ExpectedRenewal(unavailable, isAsked: true)
        case .busy(let status, let seconds):
            keepTrouble(key(trouble), seconds ?? (status == 429 ? 60 : nextWait(key(trouble))))
            return ExpectedRenewal(unavailable, isAsked: true)
        case .refused("temporarily_unavailable", _):
            keepTrouble(key(trouble), nextWait(key(trouble)))
            return ExpectedRenewal(unavailable, isAsked: true)
        case .refused("invalid_grant", "bad_token") where Clouds.isMicrosoft(server.host):
            refreshTokens[holder] = nil
            return ExpectedRenewal(["interaction refreshTokenLost"], isAsked: true)
        case .refused("invalid_grant", nil) where !Self.isEntra(server.host):
            keep(Note(madeOn: now, until: .max), key(.token(token)))
            return ExpectedRenewal(["interaction renewalRefused"], isAsked: true)
        case .refused:
            keep(Note(madeOn: now, until: now + 120), key(request))
            return ExpectedRenewal(["interaction renewalRefused"], isAsked: true)
        case .ofOtherAccount:
            keep(Note(madeOn: now, until: .max, isMismatch: true), key(.token(token)))
            return ExpectedRenewal(["interaction accountMismatch"], isAsked: true)
        case .granted(let scopes, let lifetime, let rotates):
            let granted = Set(scopes.map(folded))
            store(made(holder, server, granted, lifetime, secret), rotates: rotates)
            answered([key(request), key(declined), key(trouble)], question.account)
            if wanted.isSubset(of: granted) { return ExpectedRenewal(valid([secret]), isAsked: true) }
            let part = wanted.intersection(granted)
            let note = Note(madeOn: now, until: now + lifetime, granted: part.isEmpty ? granted : part)
            keep(note, key(declined))
            return ExpectedRenewal(["declined with \(secret)"], isAsked: true)
        }
    }

    private func valid(_ secrets: Set<String>) -> Set<String> { Set(secrets.map { "valid \($0)" }) }

    private func made(
        _ holder: Holder,
        _ server: Server,
        _ scopes: Set<String>,
        _ lifetime: Int64,
        _ secret: String
    ) -> AccessToken {
        AccessToken(
            holder: holder,
            tenant: server.tenant,
            scopes: scopes,
            madeOn: now,
            lifetime: lifetime,
            secret: secret
        )
    }

    private mutating func answered(_ keys: [Key], _ account: String) {
        dropEnded(in: .account(account))
        for key in keys { notes[key] = nil }
    }

    private mutating func keepTrouble(_ key: Key, _ seconds: Int64) {
        guard seconds > 0 else { return }
        keep(Note(madeOn: now, until: now + min(seconds, 3600), stays: true), key)
    }

    /// How long a server that does not say so is left alone: 10 s, twice as long each time, at most a minute.
    private func nextWait(_ key: Key) -> Int64 {
        guard let last = notes[key], last.madeOn <= now, now < last.leavesAt else { return 10 }
        return min(60, max(10, 2 * (last.until - last.madeOn)))
    }
}
