// SPDX-License-Identifier: Apache-2.0

package import RecordStorage

/// Whether one client is signed in to one account: an internal record, one per client and account.
package struct SignInRecord: Hashable, Sendable {
    /// The state. Values that this version does not know are read as ``unknown``.
    package enum Value: UInt8, Sendable {
        case unknown = 0
        case signedIn = 1
        case signedOut = 2
    }

    package private(set) var record: InternalRecordFacts

    /// A state that was never written.
    package init(clientID: String, account: String) {
        record = InternalRecordFacts()
        record[text: .clientID] = clientID
        record[text: .account] = account
    }

    /// Decodes the plaintext of a facts box of ``InternalRecordKind/signInState``.
    package init(decoding bytes: [UInt8]) throws(StorageError) {
        record = try InternalRecordFacts(decoding: bytes)
    }

    package func encoded() -> [UInt8] { record.encoded() }

    /// The client, folded.
    package var clientID: String { record[text: .clientID] ?? "" }

    /// The home account id, or the username of an account without one; folded.
    package var account: String { record[text: .account] ?? "" }

    package var value: Value {
        record[bytes: .value]?.first.flatMap(Value.init(rawValue:)) ?? .unknown
    }

    /// When the state was last written, in seconds since 1970.
    package var changedAt: Int64 { record[number: .time] ?? 0 }

    /// How often it was written.
    package var changeCount: Int64 { record[number: .count] ?? 0 }

    /// The sequence of the last transaction that removed the client's tokens; 0 if none did. A renewal that began
    /// before that transaction must not restore them.
    package var removalSequence: UInt64 { record[number: .removal].map { UInt64(bitPattern: $0) } ?? 0 }

    /// Whether the client's refresh token was permanently refused and the client has not signed in since.
    package var hasLostToken: Bool { record[number: .loss] != nil }

    /// Whether the client never signed in or out, so that the record means only that its token was lost. A value
    /// unknown to this version may mean anything.
    package var saysOnlyLoss: Bool {
        (record[bytes: .value]?.first ?? Value.unknown.rawValue) == Value.unknown.rawValue && removalSequence == 0
    }

    /// The state after the server permanently refused the client's refresh token.
    package func losing(at time: Int64) -> SignInRecord {
        var lost = changed(to: value, at: time)
        lost.record[number: .loss] = time
        return lost
    }

    /// The state with another value.
    package func changed(to value: Value, at time: Int64) -> SignInRecord {
        var changed = self
        changed.record[number: .loss] = nil
        changed.record[bytes: .value] = [value.rawValue]
        changed.record[number: .time] = time
        changed.record[number: .count] = changeCount &+ 1
        return changed
    }

    /// The state after the client's tokens were removed.
    ///
    /// - Parameters:
    ///   - value: the state.
    ///   - time: the time of the removal.
    ///   - sequence: its transaction.
    ///   - tokens: the numbers of the tokens that the client can no longer use.
    /// - Returns: the state to write.
    package func removed(
        to value: Value,
        at time: Int64,
        in sequence: UInt64,
        taking tokens: [UInt64]
    ) -> SignInRecord {
        var removed = changed(to: value, at: time).taking(tokens)
        removed.record[number: .removal] = Int64(bitPattern: sequence)
        return removed
    }

    /// The numbers of the tokens that removals took from the client, the last ones of them. They stay known after the
    /// next sign-in: a program may still have the tokens in its memory, and must not bring them back.
    package var removedTokens: [UInt64] { record[words: .removedTokens] ?? [] }

    /// More numbers are dropped, oldest first.
    package static let removedTokenLimit = 64

    /// The state with more tokens that were taken from the client.
    package func taking(_ tokens: [UInt64]) -> SignInRecord {
        if tokens.isEmpty { return self }
        var taking = self
        var seen: Set<UInt64> = []
        let newestFirst = (removedTokens + tokens).reversed().filter { seen.insert($0).inserted }
        taking.record[words: .removedTokens] = Array(newestFirst.prefix(SignInRecord.removedTokenLimit).reversed())
        return taking
    }
}
