// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage
internal import UnifiedSchema

/// The name of an account in a request to remove it.
struct AccountName {
    enum Kind {
        case homeAccountID
        case username
        /// The ``Account/id`` of an account, which is either of the others.
        case either
    }

    let kind: Kind
    /// In comparable form: trimmed and folded, unless it names an issuer.
    let folded: UTF8Text

    /// - Throws: `invalidRequest` for a blank name.
    init(_ name: Account.ID, _ kind: Kind) throws(StorageError) {
        self.kind = kind
        folded = HomeAccountID.comparable(UTF8Text(name.text))
        guard !folded.isEmpty else { throw StorageError(.invalidRequest, detail: "the account has no id") }
    }

    init(_ account: Account) throws(StorageError) {
        try self.init(account.id, account.hasHomeAccountID ? .homeAccountID : .username)
    }
}
