// SPDX-License-Identifier: Apache-2.0

import SampleAccounts

/// What queries name, worked out beforehand: how sample accounts get their names is no part of a lookup.
struct Names {
    let id: String
    let username: String
    let tenant: String
    let unknownID: String
    let unknownUsername: String

    init(_ index: Int, _ folder: CacheFolder) {
        let accounts = folder.accounts
        id = accounts.homeAccountID(index)
        username = accounts.username(index)
        tenant = accounts.tenant(index)
        unknownID = accounts.homeAccountID(index + folder.count)
        unknownUsername = accounts.username(index + folder.count)
    }
}
