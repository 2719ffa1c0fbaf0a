// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

/// A token to write: the content of its entry except the token itself, which goes into a ``SecretPayload``.
///
/// Written strictly: times as decimal text, scopes as received, no nulls. Replaces an older entry completely.
package struct NewCredential: Hashable, Sendable {
    package var kind: EntryKind
    /// Nil for app-only tokens.
    package var homeAccountID: UTF8Text?
    /// Where the home account id is a subject at an issuer.
    package var issuer: UTF8Text?
    package var environment: UTF8Text
    package var clientID: UTF8Text
    /// Not written for refresh tokens of Microsoft's clouds, which are valid for every tenant.
    package var realm: UTF8Text?
    package var familyID: UTF8Text?
    /// As the server returned them.
    package var target: ScopeSet?
    /// As the server returned it; nil for a bearer token.
    package var tokenType: UTF8Text?
    package var keyID: UTF8Text?
    /// The parts that isolate it from plain tokens. Extra key components are given as their hash, in the form of MSAL
    /// Python and Go.
    package var isolation = Isolation<UTF8Text?>.none
    /// The components if they are known: then their hash is written, overriding ``isolation``.
    package var extendedKey: ExtendedKey?
    /// Whether an application obtained it for itself. Marked, because other libraries also store people's tokens without
    /// a home account id.
    package var isOfApplication = false
    package var boundDeviceID: UTF8Text?
    package var clientInfo: UTF8Text?
    package var cachedAt: Int64?
    package var expiresOn: Int64?
    package var extendedExpiresOn: Int64?
    package var refreshOn: Int64?
    package var lastModificationTime: Int64?
}

extension NewCredential {
    /// - Parameters:
    ///   - kind: the kind.
    ///   - homeAccountID: the account, with its issuer; nil for an app-only token.
    ///   - environment: the host.
    ///   - clientID: the client.
    ///   - realm: the tenant.
    package init(
        kind: EntryKind,
        homeAccountID: UTF8Text? = nil,
        environment: UTF8Text,
        clientID: UTF8Text,
        realm: UTF8Text? = nil
    ) {
        let parts = homeAccountID.map(HomeAccountID.parts)
        self.init(
            kind: kind,
            homeAccountID: parts?.subject,
            issuer: parts?.issuer,
            environment: environment,
            clientID: clientID,
            realm: realm,
            familyID: nil
        )
    }

    /// The facts of the entry, under its key in the format. Its payload contains one token.
    ///
    /// If the keys of the format cannot represent the token's isolation, the standard format is used.
    ///
    /// - Throws: `invalidEntry` for a kind that is not a single token, or without client or environment.
    package func facts(_ wanted: KeyFormat = .standard) throws(SchemaError) -> EntryFacts {
        let format = capableFormat(wanted)
        guard let section = DocumentSection(for: kind), kind.isCredential, kind != .primaryRefreshToken else {
            throw SchemaError(.invalidEntry, at: 0, rule: "an entry of this kind is not a single token")
        }
        guard !clientID.isBlank, !environment.isBlank else {
            throw SchemaError(.invalidEntry, at: 0, rule: "a token needs a client and an environment")
        }
        guard kind != .boundRefreshToken || boundDeviceID?.isBlank == false else {
            throw SchemaError(.invalidEntry, at: 0, rule: "a bound refresh token needs its device")
        }
        let writtenTarget = self.writtenTarget(format)
        let writtenKind = self.writtenKind(format)
        let key = keyParts(writtenKind, target: writtenTarget, format: format).documentKey(format)
        var draft = NewFacts(kind: writtenKind, section: section, key: key ?? "")
        draft.set(.credentialType, typeString(format, writtenKind))
        draft.setSecret(.secret)
        draft.set(.homeAccountID, homeAccountID)
        draft.set(.issuer, issuer)
        draft.set(.environment, environment)
        draft.set(.clientID, clientID)
        draft.set(.realm, realm)
        draft.set(.familyID, familyID)
        draft.set(.target, writtenTarget)
        setBinding(&draft, format)
        setIsolation(&draft, format)
        draft.set(.boundDeviceID, boundDeviceID)
        draft.set(.clientInfo, clientInfo)
        draft.set(.cachedAt, seconds: cachedAt)
        draft.set(.expiresOn, seconds: expiresOn)
        draft.set(.extendedExpiresOn, seconds: extendedExpiresOn ?? (format == .python ? expiresOn : nil))
        if format == .dotNet { draft.set(.extExpiresOn, seconds: extendedExpiresOn) }
        draft.set(.refreshOn, seconds: refreshOn)
        draft.set(.lastModificationTime, seconds: lastModificationTime)
        if isOfApplication { draft.set(.applicationToken, json: Array("true".utf8)) }
        return draft.facts()
    }

    /// The fields that decoding the facts in the standard form would give, without encoding them.
    package var fields: CredentialFields {
        func nonblank(_ text: UTF8Text?) -> UTF8Text? { text.flatMap { $0.isBlank ? nil : $0 } }
        return CredentialFields(
            kind: writtenKind(.standard),
            homeAccountID: HomeAccountID.comparable(homeAccountID, issuer: issuer),
            environment: environment.normalized(),
            realm: realm?.normalizedUnlessBlank,
            clientID: clientID.normalized(),
            familyID: familyID?.normalizedUnlessBlank,
            target: target,
            tokenType: (kind.isAccessToken ? boundType : nil) ?? CredentialFields.bearer,
            keyID: kind.isAccessToken ? nonblank(keyID) : nil,
            isolation: writtenIsolation.map(nonblank),
            isOfApplication: isOfApplication,
            cachedAt: cachedAt,
            expiresOn: expiresOn,
            extendedExpiresOn: extendedExpiresOn,
            refreshOn: refreshOn,
            lastModificationMicroseconds: lastModificationTime.map { Seconds.microseconds($0) }
        )
    }

    /// The wanted format, or the standard one if the wanted one would write this isolated token under the key of a
    /// plain token.
    private func capableFormat(_ wanted: KeyFormat) -> KeyFormat {
        guard kind.isAccessToken, wanted != .standard else { return wanted }
        let isNamed = writtenIsolation.paired(with: Self.namingFormats).allSatisfy { part, formats in
            part == nil || formats?.contains(wanted) ?? true
        }
        // MSAL.NET stores the components themselves, and hashes them differently.
        let lacksComponents = wanted == .dotNet && isolation.extendedKey != nil && extendedKey == nil
        return isNamed && !lacksComponents ? wanted : .standard
    }

    /// The SDKs whose access token keys include each part of the isolation; nil for a part that no SDK's keys include.
    package static let namingFormats = Isolation<[KeyFormat]?>(
        claims: [.objectiveC, .javaScript, .android],
        extendedKey: [.objectiveC, .dotNet, .java, .python, .go],
        application: [.objectiveC, .android],
        assertionHash: nil
    )

    /// The isolation as written for SDKs that do not store components.
    private var writtenIsolation: Isolation<UTF8Text?> {
        var isolation = isolation
        if let extendedKey { isolation.extendedKey = extendedKey.hash }
        return isolation
    }

    private var isBound: Bool { boundType != nil }

    /// The token type, trimmed and folded; nil for a bearer token.
    private var boundType: UTF8Text? {
        guard let type = tokenType?.normalized(), !type.isEmpty, type != CredentialFields.bearer else { return nil }
        return type
    }

    /// Some SDKs mark a bound access token by its kind, others only by its token type.
    private func writtenKind(_ format: KeyFormat) -> EntryKind {
        guard kind.isAccessToken else { return kind }
        switch format {
        case .objectiveC, .javaScript, .node5, .android: return isBound ? .accessTokenWithAuthScheme : .accessToken
        case .dotNet, .java, .python, .go: return .accessToken
        }
    }

    private func typeString(_ format: KeyFormat, _ kind: EntryKind) -> UTF8Text? {
        kind == .accessToken && format == .dotNet && extendedKey != nil ? "ATExt" : kind.typeString
    }

    /// MSAL Python sorts the scopes, and looks for the sorted key first.
    private func writtenTarget(_ format: KeyFormat) -> UTF8Text? {
        guard let target else { return nil }
        guard format == .python else { return target.text }
        return UTF8Text(target.scopes.sorted().map(\.string).joined(separator: " "))
    }

    private func setBinding(_ draft: inout NewFacts, _ format: KeyFormat) {
        guard kind.isAccessToken else { return }
        switch format {
        case .python, .go, .javaScript, .node5: draft.set(.tokenType, tokenType ?? "Bearer")
        case .android: draft.set(.accessTokenType, tokenType ?? "Bearer")
        case .objectiveC, .dotNet, .java: if isBound { draft.set(.tokenType, tokenType) }
        }
        switch format {
        case .objectiveC, .dotNet, .java, .android: draft.set(.kid, keyID)
        case .go: draft.set(.keyid, keyID)
        case .python, .javaScript, .node5: draft.set(.keyID, keyID)
        }
    }

    private func setIsolation(_ draft: inout NewFacts, _ format: KeyFormat) {
        let isolation = writtenIsolation
        switch format {
        case .javaScript:
            draft.set(.requestedClaimsCamel, isolation.claims)
            draft.set(.requestedClaimsHash, isolation.claims.map { UTF8Text(ClaimsDigest.javaScript($0)) })
            draft.set(.userAssertionHashCamel, isolation.assertionHash)
        // Its keys name no claims, so tokens isolated by claims are never written in this form.
        case .node5: draft.set(.userAssertionHashCamel, isolation.assertionHash)
        case .objectiveC, .dotNet, .java, .python, .go, .android:
            draft.set(.requestedClaims, isolation.claims)
            draft.set(.userAssertionHash, isolation.assertionHash)
        }
        draft.set(format == .android ? .applicationIdentifier : .applicationCacheIdentifier, isolation.application)
        if format == .dotNet, let extendedKey {
            draft.set(.ext, json: extendedKey.json)
        } else if format == .java {
            draft.set(.extCacheKeyHash, isolation.extendedKey)
        } else {
            draft.set(.extCacheKey, isolation.extendedKey)
        }
    }

    private func keyParts(_ kind: EntryKind, target: UTF8Text?, format: KeyFormat) -> KeyParts {
        KeyParts(
            kind: kind,
            homeAccountID: homeAccountID,
            environment: environment,
            clientID: clientID,
            familyID: familyID,
            realm: realm,
            target: target,
            tokenType: tokenType ?? (format == .go ? "Bearer" : nil),
            isolation: isolation,
            extendedKey: extendedKey
        )
    }
}

extension ExtendedKey {
    /// MSAL.NET's `ext` object.
    var json: [UInt8] {
        var bytes: [UInt8] = [ASCII.openBrace]
        for (index, component) in components.enumerated() {
            if index > 0 { bytes.append(ASCII.comma) }
            for (text, end) in [(component.name, ASCII.colon), (component.value, 0)] {
                bytes.append(ASCII.quote)
                JSONString.appendEscaped(text.bytes, to: &bytes)
                bytes.append(ASCII.quote)
                if end != 0 { bytes.append(end) }
            }
        }
        bytes.append(ASCII.closeBrace)
        return bytes
    }
}
