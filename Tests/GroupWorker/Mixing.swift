// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import Histories
import SeededRandom
import TokenCaching

/// A worker that does everything at once: several threads that save, look up, renew and sign out, and log each call.
struct Mixing: Sendable {
    private static let threads = 4

    private let session: Session
    private let log: CallLog
    private let forced: [TokenQuery]

    init(_ session: Session) {
        guard let path = session.options.log else { giveUp("--log is missing") }
        self.session = session
        log = CallLog(path: path)
        forced = (0..<session.options.accounts).map { account in
            TokenQuery(
                accountID: Person(writer: 0, number: account).accountID,
                scopes: ["User.Read"],
                options: TokenQueryOptions(forceRefresh: true)
            )
        }
    }

    /// Once it is told to go, does so many calls in each of its threads.
    func mix() {
        _ = readLine()
        let done = DispatchSemaphore(value: 0)
        for thread in 0..<Self.threads {
            let first = session.options.first + thread * 10_000
            DedicatedThread.start {
                work(first)
                done.signal()
            }
        }
        for _ in 0..<Self.threads { done.wait() }
        say("done")
    }

    /// Saves every account once.
    func begin() {
        var number = session.options.first
        for account in 0..<session.options.accounts { call(.save, account, &number) }
    }

    /// Looks at every account in every way.
    func look() {
        for account in 0..<session.options.accounts {
            for kind in [CallKind.token, .refresh, .list] { call(kind, account) }
        }
    }

    private func work(_ first: Int) {
        var number = first
        var random = SeededGenerator(seed: session.options.seed &+ UInt64(first))
        for _ in 0..<session.options.count {
            let account = Int.random(in: 0..<session.options.accounts, using: &random)
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<6: call(.token, account)
            case 6..<8: call(.refresh, account)
            case 8..<9: call(.list, account)
            case 9..<14: call(.save, account, &number)
            case 14..<18: call(.renew, account, &number)
            default: call(.leave, account)
            }
        }
    }

    private func call(_ kind: CallKind, _ account: Int) {
        var number = 0
        call(kind, account, &number)
    }

    private func call(_ kind: CallKind, _ account: Int, _ number: inout Int) {
        number += 1
        let saved = number
        let call = log.begin(kind, account: account, number: kind == .save ? saved : 0)
        let gone = CallResult.failed(TokenCacheError.Code.tokenGone.description)
        var result = gone
        // Replaced or removed between the lookup and the opening: look again, but nobody is that unlucky for ever.
        for attempt in 0..<1_000 where result == gone {
            // A keyring that answers nobody for a while makes the cache stale as long.
            if attempt > 10 { usleep(20_000) }
            do throws(TokenCacheError) {
                result = try self.result(of: kind, account, call, &number)
            } catch {
                result = CallResult(error)
            }
        }
        log.end(call, result == gone ? .impossible("a token was gone a thousand times") : result)
    }

    private func result(
        of kind: CallKind,
        _ account: Int,
        _ call: Int,
        _ number: inout Int
    ) throws(TokenCacheError) -> CallResult {
        switch kind {
        case .save:
            try session.save(number, account: account)
            return .done
        case .leave:
            try session.cache.signOut(accountID: Person(writer: 0, number: account).accountID)
            return .done
        case .list:
            let filter = AccountFilter(id: Person(writer: 0, number: account).accountID)
            return try session.cache.accounts(matching: filter).isEmpty ? .signedOut : .signedIn
        case .token, .refresh:
            let query = kind == .token ? session.tokenQueries[account] : session.renewalQueries[account]
            return try CallResult(session.cache.token(for: query))
        case .renew:
            let renewal = Renewal(log: log, call: call, account: account, number: number, seed: session.options.seed)
            defer { number += 100 }
            var random = SeededGenerator(seed: session.options.seed &+ UInt64(number))
            if Bool.random(using: &random) {
                return try CallResult(
                    session.cache.renewSynchronously(forced[account], timeout: .seconds(20)) { try renewal.spend($0) }
                )
            }
            return try renewal.runInTask(session.cache, forced[account])
        }
    }
}

extension CallResult {
    init(_ error: TokenCacheError) {
        // A keyring that gave no answer in time may have made the change, now or later, or not.
        let passing: [TokenCacheError.Code] = [.busy, .timeout, .renewalBusy, .tokenGone, .indeterminate]
        if error.code == .signedOut {
            self = .signedOut
        } else if passing.contains(error.code) {
            self = .failed(error.code.description)
        } else {
            self = .impossible("\(error.code): \(error)")
        }
    }

    init(_ decision: TokenDecision) throws(TokenCacheError) {
        switch decision {
        case .valid(let token) where token.staleness != nil: self = .failed("stale")
        case .valid(let token): self = try CallResult(token: token.secretString)
        case .renew(let token, _): self = try CallResult(token: token.secretString)
        case .interactionRequired(.signedOut): self = .signedOut
        case .interactionRequired(let reason): self = .impossible("\(reason)")
        }
    }

    init(_ result: TokenResult) throws(TokenCacheError) {
        switch result {
        case .valid(let token) where token.staleness != nil: self = .failed("stale")
        case .valid(let token): self = try CallResult(token: token.secretString)
        case .interactionRequired(let interaction) where interaction.reason == .signedOut: self = .signedOut
        case .interactionRequired(let interaction): self = .impossible("\(interaction.reason)")
        case .scopesDeclined: self = .impossible("scopesDeclined")
        }
    }

    private init(token: String) {
        self = Person.save(of: token).map { .found($0) } ?? .impossible("a token of nobody")
    }
}
