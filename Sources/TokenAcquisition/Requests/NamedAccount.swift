// SPDX-License-Identifier: Apache-2.0

internal import TokenCaching
internal import UnifiedSchema

extension Authority {
    /// The account that the tokens of a sign-in are kept for, if the server does not say who signed in.
    ///
    /// - Parameter id: the account that the application names.
    /// - Returns: its id at this authority; nil if the server's id tokens name the account.
    /// - Throws: `requestRejected` if nobody names the account, or both do.
    fileprivate func named(_ id: Account.ID?) throws(AcquisitionError) -> Account.ID? {
        guard !kind.namesUsers else {
            guard id == nil else {
                throw AcquisitionError(.requestRejected, detail: "it names the account, and so does this authority")
            }
            return nil
        }
        guard let id, !id.text.isEmpty else {
            throw AcquisitionError(
                .requestRejected,
                detail: "this authority does not say who signs in, and the request does not name the account either"
            )
        }
        let own = UTF8Text(issuer)
        guard let issuer = HomeAccountID.issuer(of: UTF8Text(id.text)) else {
            return Account.ID(HomeAccountID.joined(UTF8Text(id.text), own).string)
        }
        guard issuer == own else {
            throw AcquisitionError(.requestRejected, detail: "the account is another authority's")
        }
        return id
    }
}

extension InteractiveRequest {
    /// As for ``Authority/named(_:)``; the account that must sign in is named too.
    func namedAccount(at authority: Authority) throws(AcquisitionError) -> Account.ID? {
        try authority.named(accountID ?? (authority.kind.namesUsers ? nil : account?.id))
    }
}

extension DeviceCodeRequest {
    /// As for ``Authority/named(_:)``.
    func namedAccount(at authority: Authority) throws(AcquisitionError) -> Account.ID? {
        try authority.named(accountID)
    }
}

extension TokenEndpoint {
    /// Checks that the application names no account where the server says who signed in.
    ///
    /// - Throws: `configurationRejected` for a server with id tokens whose authority says that it has none.
    func checkSource(ofAccount named: Account.ID?) throws(AcquisitionError) {
        guard named != nil, metadata.hasIDTokens else { return }
        throw AcquisitionError(
            .configurationRejected,
            detail: "the server says in id tokens who signed in, so name no account"
        )
    }

    /// Checks that an id token, which a server that does not say who signed in should not send, names the same account as
    /// the application.
    ///
    /// - Throws: `accountMismatch`.
    func check(_ user: IDTokenCheck.User, against named: Account.ID?) throws(AcquisitionError) {
        guard let named else { return }
        let id = HomeAccountID.joined(UTF8Text(user.subject), UTF8Text(metadata.issuer))
        guard HomeAccountID.areSame(id, UTF8Text(named.text)) else {
            throw AcquisitionError(.accountMismatch)
        }
    }
}
