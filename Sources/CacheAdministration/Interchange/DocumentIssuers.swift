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
/// issuer that the id tokens of its account name under its host, unless that is for another tenant. What is still undecided
/// stays an account of the host.
struct DocumentIssuers {
    /// An account, as the document names it: two subjects that differ in case are two users.
    private struct Account: Hashable {
        let subject: UTF8Text
        let environment: UTF8Text
    }

    private struct Naming: Hashable {
        let client: UTF8Text
        let realm: UTF8Text
        let issuer: UTF8Text
    }

    private var namings: [Account: Set<Naming>] = [:]
    private let clouds: CloudTable

    init(clouds: CloudTable) {
        self.clouds = clouds
    }

    /// Notes an id token.
    ///
    /// - Parameters:
    ///   - facts: its entry; other entries are ignored.
    ///   - secrets: where its secrets are.
    ///   - document: the bytes in which they are.
    /// - Throws: `forkedProcess`, `outOfMemory`.
    mutating func note(_ facts: EntryFacts, _ secrets: SecretRanges, in document: RawSpan) throws(StorageError) {
        guard facts.kind.isIDToken, let account = account(of: facts), let index = secrets.tokenIndex else { return }
        let range = secrets.ranges[index]
        // Without the quotes. A token has no escapes, or is none.
        guard range.count > 2,
            let claims = try IDTokenPayload.decode(document.extracting(range.lowerBound + 1..<range.upperBound - 1)),
            claims.subject?.trimmed() == account.subject,
            let issuer = claims.issuer.flatMap(HomeAccountID.named), !clouds.isMicrosoft(issuer: issuer)
        else { return }
        let fields = CredentialFields(facts)
        namings[account, default: []].insert(
            Naming(client: fields.clientID, realm: fields.realm ?? "", issuer: issuer)
        )
    }

    /// The entry as one of the account at its issuer; unchanged if no id token decides which one that is.
    func assigned(_ facts: EntryFacts) -> EntryFacts {
        guard !namings.isEmpty, let account = account(of: facts), let known = namings[account] else { return facts }
        let fields = CredentialFields(facts)
        let ofTenant = known.filter {
            fields.realm == nil && facts.kind.isRefreshToken || $0.realm == fields.realm ?? ""
        }
        let own = Set(ofTenant.filter { $0.client == fields.clientID }.map(\.issuer))
        let issuers = own.isEmpty ? Set(ofTenant.map(\.issuer)) : own
        return issuers.count == 1 ? issuers.first.map { facts.at(issuer: $0) } ?? facts : facts
    }

    /// Nil for an entry that no id token says anything about.
    private func account(of facts: EntryFacts) -> Account? {
        guard facts.kind.isCredential || facts.kind == .account, facts.kind != .legacySingleResourceToken,
            !facts.has(.issuer), let id = facts.text(.homeAccountID)?.trimmed(), !id.isEmpty,
            HomeAccountID.mayBeSubject(id), let environment = facts.text(.environment)?.normalized(),
            !clouds.isMicrosoft(environment)
        else { return nil }
        return Account(subject: id, environment: environment)
    }
}
