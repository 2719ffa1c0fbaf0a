// SPDX-License-Identifier: Apache-2.0

/// The fields of an account entry, read in one pass over its members.
package struct AccountFields: Sendable {
    /// With the issuer, if there is one; nil if it is blank, too.
    package private(set) var homeAccountID: UTF8Text?
    package private(set) var environment: UTF8Text?
    package private(set) var realm: UTF8Text?
    package private(set) var localAccountID: UTF8Text?
    package private(set) var username: UTF8Text?
    package private(set) var name: UTF8Text?
    package private(set) var givenName: UTF8Text?
    package private(set) var familyName: UTF8Text?
    package private(set) var middleName: UTF8Text?
    /// When the entry was cached or last changed.
    package private(set) var age = EntryAge.unknown
    /// Its place among the entries that were written with it.
    package private(set) var position: UInt32 = 0
    /// Whether the entry may have a profile for each tenant.
    package private(set) var hasTenantProfiles = false

    /// Nil if the entry is of another kind.
    package init?(_ facts: EntryFacts) {
        guard facts.kind == .account, let fields = try? AccountFields(decoding: facts.encodedBytes) else { return nil }
        self = fields
    }

    /// Decodes the facts of an account entry without retaining them.
    ///
    /// - Throws: as `EntryFacts.init(decoding:)`. Never traps.
    package init(decoding bytes: RawSpan) throws(SchemaError) {
        var reader = try FactsReader(bytes)
        position = FactsFormat.position(in: bytes)
        var (issuer, firstName): (UTF8Text?, UTF8Text?)
        var (cachedAt, lastModified): (Int64?, Int64?)
        while let member = try reader.next() {
            switch member.name {
            case .homeAccountID: homeAccountID = reader.text(member).flatMap { $0.trimmed().isEmpty ? nil : $0 }
            case .issuer: issuer = reader.text(member)
            case .environment: environment = reader.text(member)
            case .realm: realm = reader.text(member)
            case .localAccountID: localAccountID = reader.text(member)
            case .username: username = reader.text(member)
            case .name: name = reader.text(member)
            case .givenName: givenName = reader.text(member)
            case .firstName: firstName = reader.text(member)
            case .familyName: familyName = reader.text(member)
            case .middleName: middleName = reader.text(member)
            case .cachedAt: cachedAt = reader.seconds(member)
            case .lastModificationTime: lastModified = reader.microseconds(member)
            case .tenantProfiles: hasTenantProfiles = true
            default: break
            }
        }
        homeAccountID = homeAccountID.map { HomeAccountID.joined($0, issuer) }
        givenName = givenName ?? firstName
        age = EntryAge(EntryTimes(cachedAt: cachedAt, lastModifiedMicroseconds: lastModified))
    }
}

extension AccountFields {
    /// An account's profile in one tenant, as JS stores it.
    package struct TenantProfile: Hashable, Sendable {
        package let tenantID: UTF8Text
        package let localAccountID: UTF8Text?
        package let name: UTF8Text?
        package let username: UTF8Text?

        init?(_ value: JSONValue) {
            guard let tenantID = value["tenantId"]?.text else { return nil }
            self.tenantID = tenantID
            localAccountID = value["localAccountId"]?.text
            name = value["name"]?.text
            username = value["username"]?.text
        }
    }

    /// The names under which an account entry is found, folded and without duplicates: its username first, then those
    /// of its profiles.
    package static func usernames(of facts: EntryFacts) -> [UTF8Text] {
        var names = facts.text(.username)?.normalizedUnlessBlank.map { [$0] } ?? []
        guard facts.has(.tenantProfiles) else { return names }
        for profile in tenantProfiles(of: facts) {
            guard let name = profile.username?.normalizedUnlessBlank, !names.contains(name) else { continue }
            names.append(name)
        }
        return names
    }

    /// The profiles of an account entry: JSON texts inside an array, or the objects themselves.
    package static func tenantProfiles(of facts: EntryFacts) -> [TenantProfile] {
        (facts.json(.tenantProfiles)?.elements ?? []).compactMap { element in
            guard let text = element.text else { return TenantProfile(element) }
            return (try? JSONValue(parsing: text.bytes)).flatMap { TenantProfile($0) }
        }
    }
}
