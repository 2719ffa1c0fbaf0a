// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupRecords
internal import UnifiedSchema

/// What decides whether a client is signed in to an account: the tokens that it can use, and its sign-in state.
struct SignInFacts: Sendable {
    /// A family refresh token of the account.
    private struct FamilyToken: Hashable, Sendable {
        let family: [UInt8]
        let cloud: [UInt8]
    }

    private(set) var isSignedOut = false
    private(set) var isMarkedSignedIn = false
    /// Whether the client may have signed out, because its sign-in state cannot be read.
    var isStateDamaged = false
    /// Whether the client has a refresh token of its own.
    var hasRefreshToken = false
    /// When the client's last access token expires, in seconds since 1970.
    private var tokensLiveUntil = Int64.min
    private var familyTokens: Set<FamilyToken> = []

    mutating func note(_ state: SignInRecord) {
        isSignedOut = state.value == .signedOut
        isMarkedSignedIn = state.value == .signedIn
    }

    mutating func noteAccessToken(until end: Int64?) {
        tokensLiveUntil = max(tokensLiveUntil, end ?? .min)
    }

    mutating func noteRefreshToken(_ holder: TokenHolder, _ clouds: CloudTable) {
        if holder.isOwn { hasRefreshToken = true }
        guard holder.isFamilyToken else { return }
        let cloud = clouds.preferredCacheHost(for: holder.environment)
        familyTokens.insert(
            FamilyToken(family: holder.familyID.map { Array($0.utf8) } ?? [], cloud: Array(cloud.utf8))
        )
    }

    /// Whether the client is signed in.
    func isSignedIn(now: Int64, families: ClientFamilies) -> Bool {
        if isSignedOut || isStateDamaged { return false }
        if hasRefreshToken || isMarkedSignedIn || tokensLiveUntil > now { return true }
        return familyTokens.contains {
            families.isMember(of: $0.family.rawSpan, cloud: $0.cloud.rawSpan)
        }
    }
}
