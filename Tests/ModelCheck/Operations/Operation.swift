// SPDX-License-Identifier: Apache-2.0

/// One step of a sequence.
enum Operation: Hashable, Sendable {
    case save(Response, by: Int)
    case take([ModelEntry], replaces: Bool)
    case look(Lookup, by: Int)
    case list(AccountQuestion, by: Int)
    case signOut(String, by: Int)
    case wipe(String, by: Int)
    case clear(by: Int)
    /// Looks up and keeps the refresh token; then what came for it, or the refusal of it.
    case begin(Lookup, by: Int)
    case finish(Response, by: Int)
    case refuse(Refusal, by: Int)
    case wait(Int64)

    var isRemoval: Bool {
        switch self {
        case .signOut, .wipe, .clear: true
        default: false
        }
    }

    /// The clients of the caches that are open, one cache each: the first client has two.
    static let clients = ["client-a", "client-a", "client-b", "client-c"]
}
