// SPDX-License-Identifier: Apache-2.0

import CacheAdministration
import Glibc
import SampleAccounts
import TokenCaching

/// What is measured only now and then: no regression of theirs would go unnoticed for long.
extension Workbench {
    var others: [Operation] {
        [
            listing, signingOut, importing, exporting, twoThreads("same", names.prefix(1)),
            twoThreads("random", names[...]),
        ]
    }

    /// The list of all accounts, once it was made.
    public var listing: Operation {
        let (cache, count) = (cache, folder.count)
        return Operation("accounts", rounds: 1) { _ in
            guard try cache.accounts().count == count else { throw UnexpectedOutcome(operation: "accounts") }
        }
    }

    /// One round is a thousand lookups on each of two threads, each with queries of its own.
    private func twoThreads(_ which: String, _ names: ArraySlice<Names>) -> Operation {
        let make = LookupKind.all[0].query
        let queries = (0..<2).map { _ in names.map(make) }
        let cache = cache
        return Operation("two-threads-" + which, rounds: 1) { _ in
            Threads.run(2) { number in
                let own = queries[number]
                for round in 0..<1_000 { _ = try? cache.token(for: own[round % own.count]) }
            }
        }
    }

    private var signingOut: Operation {
        let (folder, cache) = (folder, cache)
        return Operation("sign-out", rounds: 8) { round in
            let index = round * 7919 % folder.count
            var request = folder.renewal(index)
            request.grant = .interactive
            _ = try cache.save(TokenResponse(json: folder.accounts.tokenResponse(index, round: round)), for: request)
        } _: { round in
            try cache.signOut(accountID: Account.ID(folder.accounts.homeAccountID(round * 7919 % folder.count)))
        }
    }

    private var importing: Operation {
        let folder = folder
        return Operation("import", rounds: 1) { round in
            if round == 0 { folder.writeDocument() }
            _ = system("rm -rf '\(folder.path)/import'; mkdir -m 700 '\(folder.path)/import'")
        } _: { _ in
            try folder.importDocument(into: folder.path + "/import")
        }
    }

    private var exporting: Operation {
        let folder = folder
        let group = try? CacheGroup.open(
            folder.group,
            root: folder.path,
            storage: .file(unlockedBy: .keyFile),
            access: .readOnly
        )
        return Operation("export", rounds: 1) { _ in
            let report = try group?.exportEntries(to: .path(folder.path + "/export.json"))
            guard report != nil else { throw UnexpectedOutcome(operation: "export") }
        }
    }
}
