// SPDX-License-Identifier: Apache-2.0

import TokenCaching

/// What a cache that was just opened does for the first time.
extension Workbench {
    /// The first question for an account.
    public var firstLookups: Operation {
        let folder = folder
        var cache: TokenCache?
        return Operation("first-lookup", rounds: 1) { _ in
            cache = try folder.open()
        } _: { round in
            guard case .valid(let token)? = try cache?.token(for: folder.query(round * 7919 % folder.count)) else {
                throw UnexpectedOutcome(operation: "first-lookup")
            }
            blackHole(try token.withSecret { $0.byteCount })
        }
    }

    /// The first list of all accounts.
    public var firstLists: Operation {
        let folder = folder
        var cache: TokenCache?
        return Operation("list", rounds: 1) { _ in
            cache = try folder.open()
        } _: { _ in
            guard try cache?.accounts().count == folder.count else { throw UnexpectedOutcome(operation: "list") }
        }
    }
}
