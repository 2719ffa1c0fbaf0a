/// The version that all items and the list of items share.
enum KeyringFormat {
    static let major: UInt16 = 1
    static let minor: UInt16 = 0
}
