// SPDX-License-Identifier: Apache-2.0

/// The realms under which an account's entries for one tenant may be stored: the tenant itself, and the words that mean
/// it. Some SDKs store tokens under the word that was requested.
///
/// `Text` is the type by which realms are compared: texts in a change, symbols in a lookup. There are at most three
/// realms. Public, because otherwise it would not be specialised for a lookup's symbols in another module.
public struct TenantRealms<Text: Equatable> {
    @usableFromInline let first: Text
    @usableFromInline let second: Text
    @usableFromInline let third: Text

    /// Creates a set of up to three names; pass a name again in place of a missing one.
    @inlinable
    public init(_ first: Text, _ second: Text, _ third: Text) {
        self.first = first
        self.second = second
        self.third = third
    }

    /// Only the tenant's own name. A query that names a tenant matches entries stored under exactly that name.
    @inlinable
    public init(exactly tenant: Text) {
        self.init(tenant, tenant, tenant)
    }

    /// An account's home tenant.
    ///
    /// - Parameters:
    ///   - home: the tenant.
    ///   - isPersonal: whether it is the tenant of personal accounts.
    ///   - text: converts a constant to the type by which realms are compared.
    package init(home: Text, isPersonal: Bool, _ text: (UTF8Text) -> Text) {
        self.init(home, text(TenantWord.common.text), text((isPersonal ? TenantWord.consumers : .organizations).text))
    }

    /// The realms that a word means for an account. If the account's home tenant is unknown, only entries stored under
    /// a word that means it match.
    ///
    /// - Parameters:
    ///   - word: the word.
    ///   - home: the account's home tenant; nil if it is unknown.
    ///   - isPersonal: whether it is the tenant of personal accounts.
    ///   - text: converts a constant to the type by which realms are compared.
    package init(of word: TenantWord, home: Text?, isPersonal: Bool, _ text: (UTF8Text) -> Text) {
        if word.meansHome(isPersonal: isPersonal) {
            if let home {
                self.init(home: home, isPersonal: isPersonal, text)
            } else {
                let organizations = text(TenantWord.organizations.text)
                self.init(text(TenantWord.common.text), organizations, organizations)
            }
        } else {
            // Personal accounts belong to no organization; others may be guests in the tenant of personal accounts.
            let own = text(word.text)
            self.init(word == .consumers ? text(TenantWord.consumersTenant) : own, own, own)
        }
    }

    /// All names of the tenant that an account's entry belongs to. A save replaces entries under any of them.
    ///
    /// - Parameters:
    ///   - tenant: the tenant.
    ///   - home: the account's home tenant; nil if it is unknown.
    ///   - text: converts a constant to the type by which realms are compared.
    package init(of tenant: Text, home: Text?, _ text: (UTF8Text) -> Text) {
        let personal = text(TenantWord.consumersTenant)
        if tenant == home {
            self.init(home: tenant, isPersonal: tenant == personal, text)
        } else if tenant == personal {
            self.init(of: .consumers, home: home, isPersonal: false, text)
        } else {
            self.init(exactly: tenant)
        }
    }

    /// Whether a realm is one of these.
    @inlinable
    public func contains(_ realm: Text) -> Bool {
        realm == first || realm == second || realm == third
    }
}

extension TenantRealms<UTF8Text> {
    /// All names of the tenant that a text stands for, folded: a tenant, or a word that means one for the account.
    ///
    /// - Parameters:
    ///   - name: the text.
    ///   - homeAccountID: the account's id; nil for an application, for which words mean nothing.
    package init(meantBy name: UTF8Text, homeAccountID: UTF8Text?) {
        let home = homeAccountID.flatMap(TenantWord.homeTenant)
        if homeAccountID == nil {
            self.init(exactly: name)
        } else if let word = TenantWord(name) {
            self.init(of: word, home: home, isPersonal: home == TenantWord.consumersTenant) { $0 }
        } else {
            self.init(of: name, home: home) { $0 }
        }
    }
}
