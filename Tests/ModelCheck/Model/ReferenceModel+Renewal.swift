// SPDX-License-Identifier: Apache-2.0

/// A renewal that has begun: the refresh token that it spends, and what was known when that was handed out.
struct PendingRenewal: Hashable {
    var token: ModelEntry
    var client: String
    /// What was asked for: key and isolation of the answer are those of the question.
    var lookup: Lookup
    /// The number of the last change that was known.
    var seen: Int
}

extension ReferenceModel {
    mutating func begin(_ lookup: Lookup, _ secret: String, by client: String, cache: Int) {
        guard let token = entries.first(where: { $0.isRefreshToken && $0.secret == secret }) else { return }
        pending[cache] = PendingRenewal(token: token, client: client, lookup: lookup, seen: nextCommit())
    }

    mutating func finish(_ made: Response, client: String, cache: Int) -> String? {
        guard let renewal = pending[cache] else { return nil }
        var response = made
        response.grant = .renewal
        response.environment = renewal.token.text("environment") ?? ""
        response.account = renewal.token.text("home_account_id")
        response.keyID = made.keyID ?? renewal.lookup.keyID
        response.isolatedClaims = renewal.lookup.isolatedClaims
        response.applicationIdentifier = renewal.lookup.applicationIdentifier
        response.userAssertion = renewal.lookup.userAssertion
        return save(response, client: client, renewal: renewal)
    }

    /// Whether the client signed out, the account was wiped or all was cleared since the token was handed out.
    func isOvertaken(_ renewal: PendingRenewal) -> Bool {
        let account = renewal.token.account
        let membership = Membership(client: renewal.client, account: account)
        return max(flags[membership] ?? 0, wipes[account] ?? 0, lastClear) > renewal.seen
    }

    /// A family's token that was spent by a client that signed out meanwhile gives way to its successor, so that the
    /// other members stay signed in.
    mutating func rotate(_ renewal: PendingRenewal, _ response: Response) {
        let spent = renewal.token
        guard let successor = response.refreshToken, let family = spent.family, response.family == family,
            let location = entries.firstIndex(where: {
                $0.isRefreshToken && $0.secret == spent.secret && $0.key == spent.key
            }),
            hasOtherMember(
                of: family,
                than: renewal.client,
                spent.account,
                cloud: spent.cloud,
                owner: spent.client
            )
        else { return }
        entries[location].members["secret"] = .text(successor)
        entries[location].members["last_modification_time"] = nil
        entries[location].commit = nextCommit()
        entries[location].isMade = true
    }

    mutating func refuse(_ refusal: Refusal, client: String, cache: Int) {
        guard let token = pending[cache]?.token else { return }
        switch refusal {
        case .interactionRequired, .bare: return
        case .dead:
            // Only Microsoft's servers say it of the token itself.
            guard Clouds.isMicrosoft(token.text("environment") ?? "") else { return }
            let dead = entries.filter {
                $0.isRefreshToken && $0.account == token.account && $0.secret == token.secret
            }
            if dead.isEmpty { return }
            entries.removeAll(where: dead.contains)
            lost.insert(Membership(client: client, account: token.account))
            lost.formUnion(known(token.account).filter { other in dead.contains { isSpendable($0, by: other.client) } })
        case .clientMismatch:
            guard token.family != nil else { return }
            noteFamily(nil, of: client, in: token.cloud, nextCommit())
        }
    }

    /// The clients of which it is noted that they did something with an account, but for those that signed out.
    private func known(_ account: String) -> Set<Membership> {
        Set(states.filter { $0.value != .signedOut }.keys).union(lost.filter { states[$0] != .signedOut })
            .filter { $0.account == account }
    }

    private func isSpendable(_ token: ModelEntry, by client: String) -> Bool {
        token.client == client || token.family.map { families(of: client, in: token.cloud).contains($0) } ?? false
    }
}
