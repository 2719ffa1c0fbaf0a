// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage
package import UnifiedSchema

/// The name of an account in a request to remove it.
package struct AccountName {
    package enum Kind {
        case homeAccountID
        case username
        /// The ``Account/id`` of an account, which is either of the others.
        case either
    }

    let kind: Kind
    /// In comparable form: trimmed and folded, unless it names an issuer.
    package let folded: UTF8Text

    /// - Throws: `invalidRequest` for a blank name.
    init(_ name: Account.ID, _ kind: Kind) throws(StorageError) {
        self.kind = kind
        folded = HomeAccountID.comparable(UTF8Text(name.text))
        guard !folded.isEmpty else { throw StorageError(.invalidRequest, detail: "the account has no id") }
    }

    /// A name in comparable form.
    package init(_ folded: UTF8Text, _ kind: Kind) {
        self.folded = folded
        self.kind = kind
    }

    init(_ account: Account) throws(StorageError) {
        try self.init(account.id, account.hasHomeAccountID ? .homeAccountID : .username)
    }
}
