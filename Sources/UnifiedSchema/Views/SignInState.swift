/// Whether an account is signed in to a client.
package enum SignInState: String, Hashable, Sendable, CaseIterable {
    case unknown
    case signedIn = "signed_in"
    case signedOut = "signed_out"

    /// What the text says; everything but the three words is unknown.
    package init(_ text: UTF8Text) {
        self = SignInState(rawValue: text.string) ?? .unknown
    }
}
