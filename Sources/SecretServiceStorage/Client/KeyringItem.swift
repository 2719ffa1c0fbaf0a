/// An item that a search found. Its path is good for this session only: some services number their items anew at start.
struct KeyringItem: Hashable, Sendable {
    let path: String
    let isLocked: Bool
}
