/// Which program offers the Secret Service. They differ in what they ask the person and when they write.
package enum KeyringKind: String, Hashable, Sendable {
    case gnomeKeyring = "gnome-keyring"
    case keePassXC = "KeePassXC"
    case kWallet = "KWallet"
    case unknown = "another keyring"
}
