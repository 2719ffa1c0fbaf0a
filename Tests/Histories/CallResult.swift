// SPDX-License-Identifier: Apache-2.0

/// What came of a call.
package enum CallResult: Equatable, Sendable {
    /// It was done; nothing was asked.
    case done
    /// The token of this save or renewal.
    case found(Int)
    /// The account is signed in, with whatever token.
    case signedIn
    /// The account is signed out.
    case signedOut
    /// The group was busy, or the answer was marked as old: it says nothing.
    case failed(String)
    /// Something that never happens in a cache that works.
    case impossible(String)

    package init?(text: some StringProtocol) {
        let words = text.split(separator: " ", maxSplits: 1)
        switch (words.first, words.dropFirst().first) {
        case ("done", nil): self = .done
        case ("signed-in", nil): self = .signedIn
        case ("signed-out", nil): self = .signedOut
        case ("found", .some(let number)):
            guard let number = Int(number) else { return nil }
            self = .found(number)
        case ("failed", .some(let reason)): self = .failed(String(reason))
        case ("impossible", .some(let reason)): self = .impossible(String(reason))
        default: return nil
        }
    }

    package var text: String {
        switch self {
        case .done: "done"
        case .found(let number): "found \(number)"
        case .signedIn: "signed-in"
        case .signedOut: "signed-out"
        case .failed(let reason): "failed \(reason)"
        case .impossible(let reason): "impossible \(reason)"
        }
    }
}
