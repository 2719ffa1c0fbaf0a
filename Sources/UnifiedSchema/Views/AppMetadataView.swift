/// What is known about an application. That there is an entry says that its family is known.
package struct AppMetadataView: EntryView {
    package let facts: EntryFacts

    package init?(_ facts: EntryFacts) {
        guard facts.kind == .appMetadata else { return nil }
        self.facts = facts
    }

    package var clientID: UTF8Text? { facts.text(.clientID) }
    package var environment: UTF8Text? { facts.text(.environment) }

    /// Nil for an application in no family: SDKs write that as empty, null or nothing.
    package var familyID: UTF8Text? {
        facts.text(.familyID).flatMap { $0.isBlank ? nil : $0 }
    }
}
