// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupRecords
internal import RecordStorage
internal import TokenCaching
internal import UnifiedSchema

/// The issuers that a document's id tokens name, by which its entries are divided: other libraries store the accounts of two
/// issuers on one host that have the same subject as one.
///
/// An entry belongs to the issuer of the id token of its account, client and tenant. Without one, it belongs to the only
/// issuer that the id tokens of its account and tenant name under its host. What is still undecided stays an account of the
/// host.
struct DocumentIssuers {
    /// An account, as the document names it: two subjects that differ in case are two users.
    private struct Account: Hashable {
        let subject: UTF8Text
        let environment: UTF8Text
    }

    /// The issuers that id tokens name, by their client.
    private typealias Issuers = [UTF8Text: Set<UTF8Text>]

    /// By account and realm.
    private var named: [Account: [UTF8Text: Issuers]] = [:]
    /// All of an account.
    private var ofAccount: [Account: Issuers] = [:]
    private var idsBySubject: [UTF8Text: Set<UTF8Text>] = [:]
    private var usernamesBySubject: [UTF8Text: Set<UTF8Text>] = [:]
    private let clouds: CloudTable

    init(clouds: CloudTable) {
        self.clouds = clouds
    }

    /// Notes an id token, or the usernames of an account.
    ///
    /// - Parameters:
    ///   - facts: its entry; other entries are ignored.
    ///   - secrets: where its secrets are.
    ///   - document: the bytes in which they are.
    /// - Throws: `forkedProcess`, `outOfMemory`.
    mutating func note(_ facts: EntryFacts, _ secrets: SecretRanges, in document: RawSpan) throws(StorageError) {
        if facts.kind == .account, let subject = facts.text(.homeAccountID)?.normalizedUnlessBlank {
            usernamesBySubject[subject, default: []].formUnion(AccountFields.usernames(of: facts))
        }
        guard facts.kind.isIDToken, let account = account(of: facts),
            let issuer = try namedIssuer(facts, secrets, in: document)
        else { return }
        let fields = CredentialFields(facts)
        named[account, default: [:]][fields.realm ?? "", default: [:]][fields.clientID, default: []].insert(issuer)
        ofAccount[account, default: [:]][fields.clientID, default: []].insert(issuer)
        idsBySubject[account.subject.normalized(), default: []].insert(HomeAccountID.joined(account.subject, issuer))
    }

    /// The entry as one of the account at its issuer; unchanged if no id token decides which one that is. An account entry
    /// about which id tokens of several issuers say the same becomes one of each.
    ///
    /// - Parameters:
    ///   - facts: the entry.
    ///   - secrets: where its secrets are.
    ///   - document: the bytes in which they are.
    /// - Returns: the entries to write.
    /// - Throws: `forkedProcess`, `outOfMemory`.
    func assigned(
        _ facts: EntryFacts,
        _ secrets: SecretRanges,
        in document: RawSpan
    ) throws(StorageError) -> [EntryFacts] {
        guard !named.isEmpty, let account = account(of: facts) else { return [facts] }
        if facts.kind.isIDToken {
            return [try namedIssuer(facts, secrets, in: document).map(facts.at(issuer:)) ?? facts]
        }
        let fields = CredentialFields(facts)
        let isOfAnyRealm = fields.realm == nil && (facts.kind.isRefreshToken || facts.kind == .account)
        guard let issuers = isOfAnyRealm ? ofAccount[account] : named[account]?[fields.realm ?? ""] else {
            return [facts]
        }
        let known = issuers[fields.clientID] ?? issuers.values.reduce(into: Set()) { $0.formUnion($1) }
        if facts.kind == .account { return known.sorted().map { facts.at(issuer: $0) } }
        guard known.count == 1, let issuer = known.first else { return [facts] }
        if facts.kind.isAccessToken, let own = try claims(secrets, in: document)?.issuer.flatMap(HomeAccountID.named),
            own.origin == issuer.origin, own != issuer
        {
            return [facts]
        }
        return [facts.at(issuer: issuer)]
    }

    /// The ids of the accounts at issuers that have a subject, folded, in the document.
    func ids(ofSubject subject: UTF8Text) -> Set<UTF8Text> { idsBySubject[subject] ?? [] }

    /// The usernames, folded, that the document's account entries with a subject, folded, have.
    func usernames(ofSubject subject: UTF8Text) -> Set<UTF8Text> { usernamesBySubject[subject] ?? [] }

    /// The issuer of an id token that is about its entry's account.
    private func namedIssuer(
        _ facts: EntryFacts,
        _ secrets: SecretRanges,
        in document: RawSpan
    ) throws(StorageError) -> UTF8Text? {
        guard let claims = try claims(secrets, in: document), let subject = claims.subject?.trimmed(),
            subject == facts.text(.homeAccountID)?.trimmed(), let issuer = claims.issuer.flatMap(HomeAccountID.named)
        else { return nil }
        return clouds.isMicrosoft(issuer: issuer) ? nil : issuer
    }

    /// The claims of a token that is a JWT.
    private func claims(_ secrets: SecretRanges, in document: RawSpan) throws(StorageError) -> IDTokenPayload? {
        guard let index = secrets.tokenIndex else { return nil }
        // Without the quotes. A token has no escapes, or is none.
        let range = secrets.ranges[index]
        guard range.count > 2 else { return nil }
        return try IDTokenPayload.decode(document.extracting(range.lowerBound + 1..<range.upperBound - 1))
    }

    /// Nil for an entry that no id token says anything about.
    private func account(of facts: EntryFacts) -> Account? {
        guard facts.kind.isCredential || facts.kind == .account, facts.kind != .legacySingleResourceToken,
            !facts.has(.issuer), let id = facts.text(.homeAccountID)?.trimmed(), !id.isEmpty,
            let environment = facts.text(.environment)?.normalized(),
            !clouds.isMicrosoft(environment)
        else { return nil }
        return Account(subject: id, environment: environment)
    }
}

extension UTF8Text {
    /// Scheme, host and port of a URL.
    fileprivate var origin: Substring {
        let slashes = string.utf8.indices.filter { string.utf8[$0] == UInt8(ascii: "/") }
        return slashes.count > 2 ? string[..<slashes[2]] : string[...]
    }
}
