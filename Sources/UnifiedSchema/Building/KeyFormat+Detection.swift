// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

extension KeyFormat {
    /// The SDK that seems to have written an entry, so that its replacement looks the same to that SDK.
    ///
    /// The key decides if only one SDK produces it from these fields. If several do, or none (old keys, changed
    /// fields), members that only one SDK writes decide; otherwise it is the standard form.
    package init(detecting facts: EntryFacts) {
        let parts = KeyParts(facts)
        let stored = facts.keyBytes ?? []
        let hints = KeyFormat.hints(facts, parts)
        // Keys are computed one by one, the most decisive first.
        let order = hints + [.standard] + KeyFormat.allCases
        let matching = order.first { parts.documentKey($0)?.bytes.isEqual(to: stored.rawSpan) == true }
        self = matching ?? hints.first ?? .standard
    }

    /// The same for an entry whose replacement in the standard form is known: if the keys are the same and no member
    /// identifies another SDK, the old entry has the standard form too.
    package init(detecting facts: EntryFacts, replacedBy standard: EntryFacts) {
        if facts.hasKey(of: standard), !KeyFormat.hasHints(facts) || KeyFormat.isSameForPython(facts, standard) {
            self = .standard
        } else {
            self.init(detecting: facts)
        }
    }

    /// True if no member identifies the SDK that wrote the entry (a refresh token's `last_modification_time` is
    /// ignored) and its key has no escapes.
    package static func hasNoSDKFingerprint(_ facts: EntryFacts) -> Bool {
        guard let key = facts.reader?.key, !key.hasEscapes else { return false }
        guard facts.kind == .refreshToken else { return !hasHints(facts) }
        return isPlainRefreshToken(facts.presentMembers)
    }

    /// Whether an entry of this kind without an SDK's fingerprint has the standard form, if its replacement has the
    /// standard form and the same key. This is what ``init(detecting:replacedBy:)`` would find. If not, its members
    /// decide.
    package static func isStandard(_ kind: EntryKind, replacedBy standard: EntryFacts) -> Bool {
        kind != .refreshToken || standard.kind == .refreshToken && hasNoFamily(standard)
    }

    /// Whether both are refresh tokens without family and scopes, which MSAL Python writes in the standard form apart
    /// from the time of the last change.
    private static func isSameForPython(_ facts: EntryFacts, _ standard: EntryFacts) -> Bool {
        guard facts.kind == .refreshToken, standard.kind == .refreshToken else { return false }
        return isPlainRefreshToken(facts.presentMembers) && hasNoFamily(standard)
    }

    private static func isPlainRefreshToken(_ present: MemberSet) -> Bool {
        !present.contains(anyOf: allFingerprints) && !present.contains(anyOf: [.clientInfo, .target])
    }

    private static func hasNoFamily(_ standard: EntryFacts) -> Bool {
        !standard.presentMembers.contains(anyOf: [.familyID, .target])
    }

    /// Whether a member may identify an SDK.
    private static func hasHints(_ facts: EntryFacts) -> Bool {
        let present = facts.presentMembers
        let kind = facts.kind
        if kind == .account, present.contains(.accountSource) { return true }
        if kind.isCredential, present.contains(.clientInfo) { return true }
        if kind.isRefreshToken, present.contains(anyOf: [.lastModificationTime, .target]) { return true }
        return present.contains(anyOf: allFingerprints) || kind == .accessToken && present.contains(.tokenType)
    }

    /// The SDKs that the members point to, the most certain first.
    private static func hints(_ facts: EntryFacts, _ parts: KeyParts) -> [KeyFormat] {
        var hints: [KeyFormat] = []
        let present = facts.presentMembers
        for (format, members) in fingerprints where present.contains(anyOf: members) { hints.append(format) }
        if facts.kind.isRefreshToken, present.contains(anyOf: [.lastModificationTime, .target]) {
            hints.append(.python)
        }
        if facts.kind.isCredential, present.contains(.clientInfo) { hints.append(.dotNet) }
        if facts.kind == .account, !present.contains(.clientInfo), present.contains(.accountSource) {
            hints.append(.python)
        }
        if facts.kind == .accessToken, present.contains(.tokenType), parts.boundTokenType == nil {
            let scopes = parts.target.map { ScopeSet($0).scopes } ?? []
            // Both write "Bearer"; only Python sorts the scopes.
            hints.append(scopes == scopes.sorted() ? .python : .go)
        }
        return hints
    }

    /// The members that only one SDK writes, the most certain SDK first.
    private static let fingerprints: [(KeyFormat, MemberSet)] =
        [KeyFormat.android, .javaScript, .node5, .dotNet, .go, .objectiveC, .python, .java].map { format in
            (format, MemberSet(where: { $0.onlyWriter == format }))
        }

    private static let allFingerprints = fingerprints.reduce(into: MemberSet()) { $0.formUnion($1.1) }
}
