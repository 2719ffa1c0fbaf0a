// SPDX-License-Identifier: Apache-2.0

/// The address of an entry in an Apple keychain: the attributes of its item.
package struct KeychainAddress: Hashable, Sendable {
    package var account: UTF8Text
    package var service: UTF8Text?
    /// Bytes in the keychain, text here.
    package var generic: UTF8Text?
    /// The type code; nil if the item has none.
    package var type: Int?

    package init(account: UTF8Text, service: UTF8Text?, generic: UTF8Text? = nil, type: Int? = nil) {
        self.account = account
        self.service = service
        self.generic = generic
        self.type = type
    }
}

extension KeyParts {
    /// The keychain item of the entry, as MSAL for ObjC addresses it, or as MSAL.NET does if that differs.
    ///
    /// - Returns: nil for opaque entries, and for ADAL entries, whose address is ``LegacyKeychainAddress``.
    package func keychainAddress(dotNet: Bool = false) -> KeychainAddress? {
        let account = KeyParts.lower([homeAccountID, environment])
        switch kind {
        case .accessToken, .accessTokenWithAuthScheme:
            return accessToken(account, dotNet: dotNet)
        case .idToken, .v1IDToken:
            let generic = KeyParts.lower([kind.typeString, clientID, realm])
            let service = UTF8Text(generic.string + "-")
            return KeychainAddress(account: account, service: service, generic: generic, type: kind.typeCode)
        case .refreshToken, .familyRefreshToken, .primaryRefreshToken, .boundRefreshToken:
            let generic = KeyParts.lower([kind.typeString, familyOrClient, nil])
            let service = UTF8Text(generic.string + "-")
            return KeychainAddress(account: account, service: service, generic: generic, type: kind.typeCode)
        case .account:
            return KeychainAddress(
                account: account,
                service: KeyParts.lower([realm]),
                generic: username.map { KeyParts.lower([$0]) },
                type: accountTypeCode
            )
        case .appMetadata:
            return KeychainAddress(
                account: environment ?? "",
                service: KeyParts.lower(["appmetadata", clientID]),
                generic: dotNet ? "1" : familyID,
                type: kind.typeCode
            )
        case .accountMetadata:
            return KeychainAddress(account: "authority_map", service: clientID ?? "", type: kind.typeCode)
        case .legacySingleResourceToken, .opaque:
            return nil
        }
    }

    private func accessToken(_ account: UTF8Text, dotNet: Bool) -> KeychainAddress {
        let key = AccessTokenKey(self, dotNet ? .dotNet : .objectiveC)
        // All but the account and the environment.
        let parts = key.parts.dropFirst(2)
        // MSAL.NET gives every access token the same type code.
        let isBound = !dotNet && (kind == .accessTokenWithAuthScheme || boundTokenType != nil)
        return KeychainAddress(
            account: account,
            service: UTF8Text(KeyParts.lower(parts).string + key.suffix),
            generic: KeyParts.lower(parts.prefix(upTo: key.scopesIndex)),
            type: (isBound ? EntryKind.accessTokenWithAuthScheme : .accessToken).typeCode
        )
    }

    /// The type code of an account by its issuer; nil if the issuer is unknown, because such an item would not load.
    private var accountTypeCode: Int? {
        switch authorityType?.normalized() {
        case "aad": 1001
        case "msa": 1002
        case "mssts": 1003
        case "adfs": 1004
        case "other": 1000
        default: nil
        }
    }

    private static func lower(_ parts: ArraySlice<UTF8Text?>) -> UTF8Text {
        UTF8Text(parts.map { $0?.normalized().string ?? "" }.joined(separator: "-"))
    }
}
