internal import ByteOperations

extension KeyFormat {
    /// The SDK that seems to have written an entry: what replaces it should look the same to that SDK.
    ///
    /// The key decides where it can: it is the one that only that SDK makes from these fields. Where several make it, or
    /// none (old keys, changed fields), members that only one of them writes decide; then the standard form.
    package init(detecting facts: EntryFacts) {
        let parts = KeyParts(facts)
        let stored = facts.keyBytes ?? []
        let hints = KeyFormat.hints(facts, parts)
        // Keys are worked out one by one, those first that decide at once.
        let order = hints + [.standard] + KeyFormat.allCases
        let matching = order.first { parts.documentKey($0)?.bytes.isEqual(to: stored.rawSpan) == true }
        self = matching ?? hints.first ?? .standard
    }

    /// The same for an entry that is replaced by one in the standard form: that is the form of the old one too where its
    /// key is the same and no member speaks for another SDK.
    package init(detecting facts: EntryFacts, replacedBy standard: EntryFacts) {
        if facts.hasKey(of: standard), !KeyFormat.hasHints(facts) || KeyFormat.isSameForPython(facts, standard) {
            self = .standard
        } else {
            self.init(detecting: facts)
        }
    }

    /// Whether no member of an entry speaks for an SDK, but perhaps the time of a refresh token's last change, and its key
    /// has no escapes.
    package static func hasNoSDKFingerprint(_ facts: EntryFacts) -> Bool {
        guard let key = facts.reader?.key, !key.hasEscapes else { return false }
        guard facts.kind == .refreshToken else { return !hasHints(facts) }
        return isPlainRefreshToken(facts.presentMembers)
    }

    /// Whether the form of an entry of this kind that speaks for nobody is the standard one where it is replaced by one in
    /// the standard form under the same key, as ``init(detecting:replacedBy:)`` would find. Else its members decide.
    package static func isStandard(_ kind: EntryKind, replacedBy standard: EntryFacts) -> Bool {
        kind != .refreshToken || standard.kind == .refreshToken && tellsNoFamily(standard)
    }

    /// Whether both are refresh tokens that MSAL Python writes as the standard form does, but for the time of the last change:
    /// without family and scopes.
    private static func isSameForPython(_ facts: EntryFacts, _ standard: EntryFacts) -> Bool {
        guard facts.kind == .refreshToken, standard.kind == .refreshToken else { return false }
        return isPlainRefreshToken(facts.presentMembers) && tellsNoFamily(standard)
    }

    private static func isPlainRefreshToken(_ present: MemberSet) -> Bool {
        !present.contains(anyOf: allTelling) && !present.contains(anyOf: [.clientInfo, .target])
    }

    private static func tellsNoFamily(_ standard: EntryFacts) -> Bool {
        !standard.presentMembers.contains(anyOf: [.familyID, .target])
    }

    /// Whether a member may speak for an SDK.
    private static func hasHints(_ facts: EntryFacts) -> Bool {
        let present = facts.presentMembers
        let kind = facts.kind
        if kind == .account, present.contains(.accountSource) { return true }
        if kind.isCredential, present.contains(.clientInfo) { return true }
        if kind.isRefreshToken, present.contains(anyOf: [.lastModificationTime, .target]) { return true }
        return present.contains(anyOf: allTelling) || kind == .accessToken && present.contains(.tokenType)
    }

    /// SDKs that the members speak for, the surest first.
    private static func hints(_ facts: EntryFacts, _ parts: KeyParts) -> [KeyFormat] {
        var hints: [KeyFormat] = []
        let present = facts.presentMembers
        for (format, members) in telling where present.contains(anyOf: members) { hints.append(format) }
        if facts.kind.isRefreshToken, present.contains(anyOf: [.lastModificationTime, .target]) {
            hints.append(.python)
        }
        if facts.kind.isCredential, present.contains(.clientInfo) { hints.append(.dotNet) }
        if facts.kind == .account, !present.contains(.clientInfo), present.contains(.accountSource) {
            hints.append(.python)
        }
        if facts.kind == .accessToken, present.contains(.tokenType), parts.boundTokenType == nil {
            let scopes = parts.target.map { ScopeSet($0).scopes } ?? []
            // Both of them write "Bearer"; only Python sorts.
            hints.append(scopes == scopes.sorted() ? .python : .go)
        }
        return hints
    }

    /// Members that one SDK alone writes.
    private static let telling: [(KeyFormat, MemberSet)] = [
        (
            .android,
            [.accessTokenType, .applicationIdentifier, .mamEnrollmentIdentifier, .firstName, .avatarURL]
        ),
        (.javaScript, [.requestedClaimsCamel, .requestedClaimsHash, .userAssertionHashCamel, .tenantProfiles]),
        (.dotNet, [.extExpiresOn, .ext, .persistedCacheParameters, .wamAccountIDs]),
        (.go, [.keyid]),
        (.objectiveC, [.applicationCacheIdentifier, .enrollmentID, .speInfo, .lastModificationApp]),
        (.python, [.keyID]),
    ]

    private static let allTelling = telling.reduce(into: MemberSet()) { $0.formUnion($1.1) }
}
