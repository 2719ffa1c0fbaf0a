/// An entry to be written over an old one of the same meaning, whose other members stay.
package protocol MergedEntry: Sendable {
    /// What reading the facts of the standard form gives.
    var fields: CredentialFields { get }

    /// Whether an old entry says all of this already: laid over it, this would change nothing. May be false where that is
    /// not seen at a glance.
    func isTold(by old: EntryFacts) -> Bool

    /// The facts of the entry in the form of an SDK, laid over an old one.
    func facts(_ format: KeyFormat, mergedOver old: EntryFacts?) throws(SchemaError) -> EntryFacts
}
