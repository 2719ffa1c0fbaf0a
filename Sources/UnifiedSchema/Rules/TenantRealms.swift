/// The realms under which entries of an account stand that belong to one tenant: the tenant itself, and the words that
/// mean it. Some SDKs store tokens under the word that was asked for.
///
/// `Text` is what realms are compared by: texts of a change, symbols of a lookup. There are three at most. Public, as only that is
/// specialised for a lookup's symbols in another module.
public struct TenantRealms<Text: Equatable> {
    @usableFromInline let first: Text
    @usableFromInline let second: Text
    @usableFromInline let third: Text

    /// Up to three names; those that there are not repeat another one.
    @inlinable
    public init(_ first: Text, _ second: Text, _ third: Text) {
        self.first = first
        self.second = second
        self.third = third
    }

    /// A tenant under its own name only. A query that names a tenant gets what is stored under that name.
    @inlinable
    public init(exactly tenant: Text) {
        self.init(tenant, tenant, tenant)
    }

    /// The tenant that an account is at home in.
    ///
    /// - Parameters:
    ///   - home: the tenant.
    ///   - isPersonal: whether it is that of personal accounts.
    ///   - text: gives a constant in the form in which realms are compared.
    package init(home: Text, isPersonal: Bool, _ text: (UTF8Text) -> Text) {
        self.init(home, text(TenantWord.common.text), text((isPersonal ? TenantWord.consumers : .organizations).text))
    }

    /// What a word means for an account. If nobody can tell the account's home tenant, what was stored under a word
    /// that means it is all that is meant.
    ///
    /// - Parameters:
    ///   - word: the word.
    ///   - home: the tenant that the account is at home in; nil if nobody can tell.
    ///   - isPersonal: whether that is the tenant of personal accounts.
    ///   - text: gives a constant in the form in which realms are compared.
    package init(of word: TenantWord, home: Text?, isPersonal: Bool, _ text: (UTF8Text) -> Text) {
        if word.meansHome(isPersonal: isPersonal) {
            if let home {
                self.init(home: home, isPersonal: isPersonal, text)
            } else {
                let organizations = text(TenantWord.organizations.text)
                self.init(text(TenantWord.common.text), organizations, organizations)
            }
        } else {
            // Personal accounts are no organization's; others may be guests where all personal accounts are at home.
            let own = text(word.text)
            self.init(word == .consumers ? text(TenantWord.consumersTenant) : own, own, own)
        }
    }

    /// All names of the tenant that an entry of an account says it belongs to. A save replaces what stands under any of
    /// them.
    ///
    /// - Parameters:
    ///   - tenant: the tenant.
    ///   - home: the tenant that the account is at home in; nil if nobody can tell.
    ///   - text: gives a constant in the form in which realms are compared.
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

    /// Whether a realm is one of them.
    @inlinable
    public func contains(_ realm: Text) -> Bool {
        realm == first || realm == second || realm == third
    }
}
