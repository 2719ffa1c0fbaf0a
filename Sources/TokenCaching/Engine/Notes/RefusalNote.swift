// SPDX-License-Identifier: Apache-2.0

package import GroupRecords
internal import RecordStorage
internal import UnifiedSchema

/// A server's refusal, recorded for all processes of the group: an internal record.
///
/// It contains the members of the server's response that programs need, and never the text that the server wrote for
/// users.
package struct RefusalNote: Hashable, Sendable {
    /// The subject of the refusal. A note with a value unknown to this version is ignored.
    enum Kind: UInt8, Sendable {
        /// A request with the client's own refresh tokens. One of its family's may succeed.
        case requestOfOwnTokens = 1
        /// A request with any refresh token that the client may redeem.
        case request = 2
        /// A refresh token, for any request.
        case token = 3
        /// Some of the scopes. A token with the others was issued.
        case scopes = 4
        /// The server asked for time: for this request, or for any without an account.
        case server = 5
        /// Not a refusal: the server answered with another account's tokens when the client redeemed a refresh token.
        case mismatch = 6

        /// Whether it concerns a refresh token, regardless of the request.
        var isOfToken: Bool { self == .token || self == .mismatch }
    }

    private(set) var record: InternalRecordFacts

    /// The maximum size of a note in bytes.
    static let largest = 4096
    /// The maximum number of notes in a partition.
    static let limit = 64

    /// Creates a note that is in effect for a limited time.
    init(_ kind: Kind, client: String, period: RefusalPeriod, response: TokenErrorResponse?, host: String? = nil) {
        record = InternalRecordFacts()
        record[text: .clientID] = client
        record[bytes: .value] = [kind.rawValue]
        record[number: .time] = period.madeOn
        record[number: .end] = period.until
        record[text: .environment] = host
        if let response { record.set(response) }
    }

    /// Creates a note that is in effect as long as a token is stored.
    init(
        _ kind: Kind,
        client: String,
        period: RefusalPeriod,
        response: TokenErrorResponse?,
        of token: WrittenToken
    ) {
        self.init(kind, client: client, period: period, response: response)
        record[words: .token] = [token.tag.first, token.tag.second, token.sequence]
    }

    /// Creates a note that only some of the scopes were granted, in effect while a token for these is valid.
    init(declining client: String, period: RefusalPeriod, granted: ScopeSet) {
        self.init(.scopes, client: client, period: period, response: nil)
        record[text: .granted] = granted.text.string
    }

    /// Decodes the plaintext of a facts box of ``InternalRecordKind/refusal``.
    ///
    /// - Throws: `damaged` for an invalid note, `unsupportedVersion` for a later version.
    init(decoding bytes: [UInt8]) throws(StorageError) {
        guard bytes.count <= RefusalNote.largest else {
            throw StorageError(.damaged, detail: "a note of a refusal is too long")
        }
        record = try InternalRecordFacts(decoding: bytes)
        guard kind != nil else { throw StorageError(.damaged, detail: "a note of a refusal is empty") }
    }

    /// The note with its own address in the group, so that it can be restored there if its address is stored nowhere
    /// else.
    func placed(_ tag: RecordTag, in partition: PartitionTag) -> RefusalNote {
        var placed = self
        placed.record.refusalLocation = RecordAddress(tag: tag, partition: partition, searchTags: [])
        return placed
    }

    /// The encoded note; nil if it is too long even without claims.
    func encoded() -> [UInt8]? {
        let bytes = record.encoded()
        if bytes.count <= RefusalNote.largest { return bytes }
        var shorter = record
        shorter[text: .claims] = nil
        let rest = shorter.encoded()
        return rest.count <= RefusalNote.largest ? rest : nil
    }

    var kind: Kind? { record[bytes: .value]?.first.flatMap(Kind.init(rawValue:)) }

    /// The client, folded.
    var clientID: String { record[text: .clientID] ?? "" }

    /// The host of the server; only for ``Kind/server``.
    var host: String? { record[text: .environment] }

    var period: RefusalPeriod {
        RefusalPeriod(madeOn: record[number: .time] ?? .max, until: record[number: .end] ?? .min)
    }

    /// The server's response.
    var response: TokenErrorResponse { record.response }

    /// The granted scopes; nil if the note is not about scopes.
    var granted: ScopeSet? {
        guard kind == .scopes, let text = record[text: .granted], !text.isEmpty else { return nil }
        return ScopeSet(UTF8Text(text))
    }

    /// The token that the note depends on: the words of its record's tag, and its sequence.
    private var token: (UInt64, UInt64, UInt64)? {
        guard let words = record[words: .token], words.count == 3 else { return nil }
        return (words[0], words[1], words[2])
    }

    /// Whether its end is known.
    var hasEnd: Bool { kind?.isOfToken == false }

    /// Whether it is in effect now, given these records of its partition.
    func isActive(_ now: Int64, among records: [StoredRecord]) -> Bool {
        switch kind {
        case .token, .mismatch: isTokenStored(records)
        // A token may live longer than a server may ask for time.
        case .scopes:
            period.madeOn <= now && now < period.until && ValidityInterval.isCredible(period.until, now: now)
        case .request, .requestOfOwnTokens, .server: period.contains(now)
        case nil: false
        }
    }

    /// Whether the note can be removed. A note from the future stays, because the clock may have been set back.
    func isOver(_ now: Int64, among records: [StoredRecord]) -> Bool {
        switch kind {
        case .token, .mismatch: !isTokenStored(records)
        // The next period may depend on the last one.
        case .server: period.hasEnded(now) && !period.isRecent(now)
        default: period.hasEnded(now)
        }
    }

    private func isTokenStored(_ records: [StoredRecord]) -> Bool {
        guard let token else { return false }
        return records.contains { ($0.tag.first, $0.tag.second, $0.sequence) == token }
    }
}

extension InternalRecordFacts {
    /// The address in a note; nil if it contains none.
    package fileprivate(set) var refusalLocation: RecordAddress? {
        get {
            guard let words = self[words: .location], words.count == 4 else { return nil }
            return RecordAddress(
                tag: RecordTag(first: words[2], second: words[3]),
                partition: PartitionTag(first: words[0], second: words[1]),
                searchTags: []
            )
        }
        set {
            self[words: .location] = newValue.map { location in
                [location.partition.first, location.partition.second, location.tag.first, location.tag.second]
            }
        }
    }

    fileprivate mutating func set(_ response: TokenErrorResponse) {
        self[text: .error] = response.error.isEmpty ? nil : response.error
        self[text: .suberror] = response.suberror
        let codes = response.errorCodes.map { UInt64(bitPattern: $0) }
        self[words: .errorCodes] = codes.isEmpty ? nil : codes
        self[text: .claims] = response.claims
        self[text: .correlationID] = response.correlationID
        self[text: .traceID] = response.traceID
        self[number: .status] = response.status.map { Int64($0) }
        self[number: .retryAfter] = response.retryAfter?.secondsRoundedUp
    }

    fileprivate var response: TokenErrorResponse {
        var response = TokenErrorResponse(error: self[text: .error] ?? "", suberror: self[text: .suberror])
        response.errorCodes = (self[words: .errorCodes] ?? []).map { Int64(bitPattern: $0) }
        response.claims = self[text: .claims]
        response.correlationID = self[text: .correlationID]
        response.traceID = self[text: .traceID]
        response.status = self[number: .status].flatMap { Int(exactly: $0) }
        response.retryAfter = self[number: .retryAfter].map { .seconds($0) }
        return response
    }
}
