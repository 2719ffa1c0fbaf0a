/// One member of an entry as it is shown to people.
package struct EntryMember: Hashable, Sendable {
    /// The name, escapes resolved.
    package let name: UTF8Text
    /// Nil for a member that no SDK is known to write: its value may be anything, so show it only on request.
    package let known: MemberName?
    /// Whether the value is in the payload.
    package let isSecret: Bool
    /// The JSON text of the value as it was read; nil for a secret.
    package let json: UTF8Text?
}
