internal import ByteOperations

/// An entry seen as what it is: each field by its name, read from the facts when asked for.
///
/// Reading is tolerant: null and values of another form count as absent, times may be text or numbers, and a field that
/// SDKs spell differently is found under each of its names.
package protocol EntryView: Sendable {
    var facts: EntryFacts { get }

    /// Nil where the entry is of another kind.
    init?(_ facts: EntryFacts)
}

/// What all credentials have.
package protocol CredentialView: EntryView {}

extension CredentialView {
    /// The type string as it was written, such as `AccessToken`.
    package var credentialType: UTF8Text? { facts.text(.credentialType) }
    /// Nil for tokens of an application itself.
    package var homeAccountID: UTF8Text? { facts.text(.homeAccountID) }
    package var environment: UTF8Text? { facts.text(.environment) }
    package var clientID: UTF8Text? { facts.text(.clientID) }
    package var realm: UTF8Text? { facts.text(.realm) }
    /// What the server said about the account, base64url.
    package var clientInfo: UTF8Text? { facts.text(.clientInfo) }
    package var userAssertionHash: UTF8Text? { facts.text(.userAssertionHash, .userAssertionHashCamel) }
    package var authority: UTF8Text? { facts.text(.authority) }
    package var lastModificationTime: Int64? { facts.seconds(.lastModificationTime) }
    package var lastModificationApp: UTF8Text? { facts.text(.lastModificationApp) }
    package var enrollmentID: UTF8Text? { facts.text(.enrollmentID) }
    package var speInfo: UTF8Text? { facts.text(.speInfo) }
}

extension EntryFacts {
    /// A nested value; nil where it is absent, null or secret, or has text that cannot be held.
    func json(_ name: MemberName) -> JSONValue? {
        guard let raw = rawJSON(name), let value = try? JSONValue(parsing: raw.rawSpan), value != .null else {
            return nil
        }
        return value
    }

    /// A nested object of texts; other values are left out.
    func texts(_ name: MemberName) -> [UTF8Text: UTF8Text] {
        var texts: [UTF8Text: UTF8Text] = [:]
        for member in json(name)?.members ?? [] { texts[member.name] = member.value.text }
        return texts
    }

    /// A whole number, as such or as text.
    func integer(_ name: MemberName) -> Int? {
        seconds(name).map { Int($0) }
    }
}
