/// An id token, of either version. It has no scopes and is kept past its end.
package struct IDTokenView: CredentialView {
    package let facts: EntryFacts

    package init?(_ facts: EntryFacts) {
        guard facts.kind.isIDToken else { return nil }
        self.facts = facts
    }
}
