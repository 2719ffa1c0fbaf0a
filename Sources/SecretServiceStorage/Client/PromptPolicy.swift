/// Whether the keyring may ask the person something.
package enum PromptPolicy: Hashable, Sendable {
    /// Never: what would need it fails.
    case never
    /// Until the deadline of the call.
    case allowed
}
