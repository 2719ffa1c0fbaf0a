// SPDX-License-Identifier: Apache-2.0

import CacheAdministration
import TokenCaching

/// Runs a sequence against the cache and the model side by side.
struct SequenceRun: SideBySideRun {
    private let real: RealGroup
    private var model: ReferenceModel
    private(set) var counts: [String: Int] = [:]

    init(root: String?) throws(TokenCacheError) {
        model = ReferenceModel(now: ImportedEntries.start)
        real = try RealGroup(now: ImportedEntries.start, root: root)
    }

    /// Does one step on both sides; says how they differ.
    mutating func perform(_ operation: Operation) throws(TokenCacheError) -> String? {
        switch operation {
        case .wait(let seconds):
            real.wait(seconds)
            model.now += seconds
            return nil
        case .look(let lookup, let cache):
            let expected = model.decision(lookup, client: Operation.clients[cache])
            let answer = real.decision(lookup, by: cache)
            counts["\(expected)".prefix { $0 != "(" } + "", default: 0] += 1
            return answer.fits(expected) ? nil : "deciding \(answer), the model \(expected)"
        case .begin(let lookup, let cache):
            let client = Operation.clients[cache]
            let expected = model.decision(lookup, client: client)
            let answer = real.begin(lookup, by: cache)
            model.pending[cache] = nil
            if case .renew(let secret, _) = answer { model.begin(lookup, secret, by: client, cache: cache) }
            return answer.fits(expected) ? nil : "beginning \(answer), the model \(expected)"
        case .finish(let response, let cache):
            guard model.pending[cache] != nil else { return nil }
            let expected = model.finish(response, client: Operation.clients[cache], cache: cache)
            let answer = real.finish(response, by: cache)
            counts[answer == nil ? "renewed" : "renewal refused", default: 0] += 1
            guard answer == expected else {
                return "finishing gives \(answer ?? "nothing"), the model \(expected ?? "nothing")"
            }
        case .refuse(let refusal, let cache):
            guard model.pending[cache] != nil else { return nil }
            counts["tokens refused", default: 0] += 1
            model.refuse(refusal, client: Operation.clients[cache], cache: cache)
            try real.refuse(refusal, by: cache)
        case .list(let question, let cache):
            return try list(question, by: cache)
        case .save(let response, let cache):
            let expected = model.save(response, client: Operation.clients[cache])
            let answer = real.save(response, by: cache)
            counts[answer == nil ? "saved" : "save refused", default: 0] += 1
            guard answer == expected else {
                return "saving gives \(answer ?? "nothing"), the model \(expected ?? "nothing")"
            }
        case .take(let document, let replaces):
            model.take(document, replaces: replaces)
            try real.take(document, replaces: replaces)
        case .signOut(let id, let cache):
            counts["signed out", default: 0] += 1
            model.signOut(id, client: Operation.clients[cache])
            try real.signOut(id, by: cache)
        case .wipe(let id, let cache):
            model.wipe(id, client: Operation.clients[cache])
            try real.wipe(id, by: cache)
        case .clear(let cache):
            model.clear()
            try real.clear(by: cache)
        }
        return try compareExports(isRemoval: operation.isRemoval)
    }

    private func list(_ question: AccountQuestion, by cache: Int) throws(TokenCacheError) -> String? {
        let expected = model.accounts(question, client: Operation.clients[cache])
        let answer = try listed(question, by: cache)
        return answer == expected ? nil : "listing \(answer), the model \(expected)"
    }

    private func listed(_ question: AccountQuestion, by cache: Int) throws(TokenCacheError) -> Set<ExpectedAccount> {
        Set(
            try real.accounts(question, by: cache).map { account in
                ExpectedAccount(
                    id: folded(account.id.text),
                    isSignedIn: account.isSignedIn,
                    profiles: account.tenantProfiles.map { [folded($0.tenant), Clouds.cloud(of: $0.environment)] }
                        .sorted { $0.lexicographicallyPrecedes($1) }
                )
            }
        )
    }

    /// Whether accounts are found by the names that a state of the model gives them. Which of two entries of one account is
    /// the newer one is seen by nothing else.
    private func areAccountsFound(in entries: [ModelEntry]) throws(TokenCacheError) -> Bool {
        var model = model
        model.entries = entries
        for person in Person.all {
            let questions = [
                AccountQuestion(localAccountID: person.uid, includesSignedOut: true),
                AccountQuestion(localAccountID: "guest-\(person.uid)", includesSignedOut: true),
                AccountQuestion(username: person.username, includesSignedOut: true),
            ]
            for question in questions
            where try listed(question, by: 0) != model.accounts(question, client: Operation.clients[0]) { return false }
        }
        return true
    }

    /// Compares what is stored; after a removal also what is left of it for others.
    private mutating func compareExports(isRemoval: Bool) throws(TokenCacheError) -> String? {
        let actual = try real.exported(all: true)
        var comparison = ExportComparison(actual: actual, expected: model.entries)
        for entries in model.alternatives {
            let other = ExportComparison(actual: actual, expected: entries)
            guard other.difference == nil else { continue }
            if comparison.difference == nil, try areAccountsFound(in: model.entries) { break }
            model.entries = entries
            comparison = other
        }
        model.alternatives = []
        if let sentence = comparison.difference { return sentence }
        // Under which keys the cache keeps what it makes is not for the model to say.
        for (index, found) in comparison.pairs {
            model.entries[index].key = found.key
            if model.entries[index].isMade { model.entries[index].merge(found) }
        }
        guard isRemoval else { return nil }
        return ExportComparison(actual: try real.exported(all: false), expected: model.exported(all: false))
            .difference.map { "without signed-out accounts: \($0)" }
    }
}
