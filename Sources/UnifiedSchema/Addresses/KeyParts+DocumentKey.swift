// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

extension KeyParts {
    /// The key of the entry in a unified document, in the form of one SDK.
    ///
    /// Folds A-Z if that SDK folds; other letters are kept, although an SDK may fold them too.
    ///
    /// - Returns: nil for opaque entries and ADAL entries, which have no such key.
    package func documentKey(_ format: KeyFormat) -> UTF8Text? {
        switch kind {
        case .accessToken, .accessTokenWithAuthScheme: accessTokenKey(format)
        case .refreshToken, .familyRefreshToken, .primaryRefreshToken, .boundRefreshToken: refreshTokenKey(format)
        case .idToken, .v1IDToken: idTokenKey(format)
        case .account: accountKey(format)
        case .appMetadata: appMetadataKey(format)
        case .accountMetadata: UTF8Text("authority_map-" + (clientID?.string ?? ""))
        case .legacySingleResourceToken, .opaque: nil
        }
    }

    private func accessTokenKey(_ format: KeyFormat) -> UTF8Text {
        var key = AccessTokenKey(self, format)
        // MSAL for ObjC has no place for extra components. The form of the other SDKs keeps such tokens apart here too.
        if format == .objectiveC { key.appendExtension(extensionHash(dotNet: false)) }
        return KeyParts.join(key.parts, format, appending: key.suffix)
    }

    private func refreshTokenKey(_ format: KeyFormat) -> UTF8Text {
        let type = kind.typeString
        let owner = familyOrClient
        switch format {
        case .objectiveC:
            // Extra components replace the target, which refresh tokens do not have.
            let hash = hasFamily ? nil : extensionHash(dotNet: false)
            return KeyParts.join([homeAccountID, environment, type, owner, nil, hash], format)
        case .dotNet:
            let hash = hasFamily ? nil : extensionHash(dotNet: true)
            return KeyParts.join([homeAccountID, environment, type, owner, nil, hash], format)
        case .java:
            return KeyParts.join([homeAccountID ?? "null", environment, type, owner, nil, nil], format)
        case .python:
            return KeyParts.join([homeAccountID, environment, type, clientID, nil, target], format)
        case .go:
            return KeyParts.join([homeAccountID, environment, type, owner], format)
        case .javaScript:
            return KeyParts.join([homeAccountID, environment, type, owner, nil, nil, nil, nil], format)
        case .node5:
            return KeyParts.join([homeAccountID, environment, type, owner, nil, nil, nil], format)
        case .android:
            let family = owner.map { $0.string.hasPrefix("foci-") ? UTF8Text(String($0.string.dropFirst(5))) : $0 }
            return KeyParts.join([homeAccountID, environment, type, family, nil, target], format)
        }
    }

    private func idTokenKey(_ format: KeyFormat) -> UTF8Text {
        let type = kind.typeString
        switch format {
        case .objectiveC, .dotNet, .python, .android:
            return KeyParts.join([homeAccountID, environment, type, clientID, realm, nil], format)
        case .java:
            return KeyParts.join([homeAccountID ?? "null", environment, type, clientID, realm, nil], format)
        case .go:
            return KeyParts.join([homeAccountID, environment, type, clientID, realm], format)
        case .javaScript:
            return KeyParts.join([homeAccountID, environment, type, clientID, realm, nil, nil, nil], format)
        case .node5:
            return KeyParts.join([homeAccountID, environment, type, clientID, realm, nil, nil], format)
        }
    }

    private func accountKey(_ format: KeyFormat) -> UTF8Text {
        switch format {
        case .dotNet:
            // The only key that MSAL.NET does not fold.
            return KeyParts.joinedText([homeAccountID, environment, realm])
        case .javaScript, .node5:
            // One entry per user: the home tenant represents all tenants.
            let parts = homeAccountID?.string.split(separator: ".") ?? []
            let home = parts.count > 1 ? UTF8Text(String(parts[1])) : realm
            return KeyParts.join([homeAccountID, environment, home], format)
        default:
            return KeyParts.join([homeAccountID, environment, realm], format)
        }
    }

    private func appMetadataKey(_ format: KeyFormat) -> UTF8Text {
        let parts: [UTF8Text?] = ["appmetadata", environment, clientID]
        return format == .python ? KeyParts.joinedText(parts) : KeyParts.join(parts, format)
    }

    /// Joins parts as the SDK does: ObjC and Android trim each part, and all of them fold.
    private static func join(_ parts: [UTF8Text?], _ format: KeyFormat, appending suffix: String = "") -> UTF8Text {
        let trims = format == .objectiveC || format == .android
        return UTF8Text(joining: parts, trimming: trims, folding: true, suffix: suffix)
    }

    private static func joinedText(_ parts: [UTF8Text?]) -> UTF8Text {
        UTF8Text(joining: parts, trimming: false, folding: false, suffix: "")
    }
}

extension UTF8Text {
    /// Joins the parts with dashes; nil becomes an empty part.
    fileprivate init(joining parts: [UTF8Text?], trimming: Bool, folding: Bool, suffix: String) {
        var count = suffix.utf8.count + parts.count - 1
        for part in parts { count += part?.byteCount ?? 0 }
        // Joining valid UTF-8 with ASCII gives valid UTF-8.
        self.init(
            String(byteCount: count) { output in
                for index in parts.indices {
                    if index > 0 { output.append(byte: ASCII.minus) }
                    guard let part = parts[index] else { continue }
                    output.append(trimming ? part.bytes.trimmed() : part.bytes, folding: folding)
                }
                output.append(suffix.rawSpan, folding: folding)
            }
        )
    }
}
