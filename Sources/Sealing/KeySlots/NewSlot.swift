/// A key slot to be made.
package struct NewSlot: Sendable {
    /// What will open the slot.
    package let secret: SlotSecret
    /// The cost of a passphrase; means nothing for the other kinds.
    package let parameters: KDFParameters
    /// The id, where the caller had to know it beforehand; `nil` for a random one.
    package let id: SlotID?

    package init(_ secret: SlotSecret, parameters: KDFParameters = .standard, id: SlotID? = nil) {
        self.secret = secret
        self.parameters = parameters
        self.id = id
    }
}
