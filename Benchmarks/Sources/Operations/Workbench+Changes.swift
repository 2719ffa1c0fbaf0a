// SPDX-License-Identifier: Apache-2.0

import SampleAccounts
import TokenCaching

extension Workbench {
    /// What changes the store or follows its changes.
    public var changes: [Operation] { [openingCaches, savingResponses, seeingChanges] }

    private var openingCaches: Operation {
        let (folder, query) = (folder, folder.query(folder.count / 2))
        var opened: TokenCache?
        return Operation("open-to-first-token", rounds: 8) { _ in
            opened?.close()
            opened = nil
        } _: { _ in
            let cache = try folder.open()
            opened = cache
            guard case .valid(let token) = try cache.token(for: query) else {
                throw UnexpectedOutcome(operation: "open-to-first-token")
            }
            blackHole(try token.withSecret { $0.byteCount })
        }
    }

    /// A durable save of what a token endpoint answers.
    public var savingResponses: Operation {
        let (folder, cache) = (folder, cache)
        var next: (json: [UInt8], request: TokenRequest)?
        return Operation("save-response", rounds: 8) { round in
            let index = round * 7919 % folder.count
            next = (folder.accounts.tokenResponse(index, round: round), folder.renewal(index))
        } _: { _ in
            guard let next else { throw UnexpectedOutcome(operation: "save-response") }
            _ = try cache.save(TokenResponse(json: next.json), for: next.request)
        }
    }

    private var seeingChanges: Operation {
        let (folder, cache) = (folder, cache)
        let index = folder.chosen[0]
        let query = folder.query(index)
        let other = try? folder.open()
        return Operation("foreign-change", rounds: 8) { round in
            let json = folder.accounts.tokenResponse(index, round: 1_000 + round)
            _ = try other?.save(TokenResponse(json: json), for: folder.renewal(index))
        } _: { _ in
            guard case .valid = try cache.token(for: query) else {
                throw UnexpectedOutcome(operation: "foreign-change")
            }
        }
    }
}
