// SPDX-License-Identifier: Apache-2.0

import Glibc
import Operations
import SampleAccounts
import TokenCaching

/// One size of cache in a folder of its own, and the steps that measure it.
struct Scene {
    let count: Int
    let folder: String
    let accounts: SampleAccounts

    init(count: Int, folder: String) {
        self.count = count
        self.folder = folder
        accounts = SampleAccounts(count: count, cachedAt: Int(time(nil)) - 60)
    }

    var document: String { folder + "/cache.json" }

    func open() throws -> TokenCache {
        try TokenCache(group: "figures", clientID: SampleAccounts.clientID, root: folder)
    }

    func query(_ index: Int) -> TokenQuery {
        TokenQuery(
            accountID: Account.ID(accounts.homeAccountID(index)),
            scopes: SampleAccounts.scopes,
            tenant: accounts.tenant(index),
            environment: "login.microsoftonline.com"
        )
    }

    /// Every account once, in an order that no cache line foresees.
    func randomOrder(_ limit: Int) -> [Int] {
        var random = SplitMix(state: 42)
        return Array((0..<count).shuffled(using: &random).prefix(limit))
    }

    func report(_ name: String, _ text: String) {
        print("  " + name + String(repeating: " ", count: max(1, 44 - name.count)) + text)
        fflush(nil)
    }
}

extension Double {
    /// With `digits` behind the point.
    func rounded(to digits: Int) -> String {
        var factor = 1.0
        for _ in 0..<digits { factor *= 10 }
        let scaled = Int64((self * factor).rounded())
        guard digits > 0 else { return String(scaled) }
        let fraction = String(abs(scaled) % Int64(factor))
        return String(scaled / Int64(factor)) + "." + String(repeating: "0", count: digits - fraction.count) + fraction
    }
}
