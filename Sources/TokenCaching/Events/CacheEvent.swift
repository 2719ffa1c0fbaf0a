// SPDX-License-Identifier: Apache-2.0

/// A call of a cache that did some work, for logs and metrics: which call it was, how long it took, and how it failed.
///
/// An event holds no content: no token, claim, name, id, scope or path. It may be written to any log.
///
/// ```swift
/// import TokenCaching
///
/// let options = TokenCacheOptions(onEvent: { event in
///     print("token cache: \(event)")
/// })
/// let cache = try TokenCache(group: "work", clientID: "11111111-2222-3333-4444-555555555555", options: options)
/// ```
///
/// Lookups and lists report no events: most take nanoseconds, and a program that wants to count them counts its own
/// calls.
public struct CacheEvent: Hashable, Sendable {
    /// The call.
    public let kind: Kind

    /// How long the call took, including waits for locks, for the keyring and for a renewal by another process. An
    /// asynchronous call is measured from the moment one of the library's threads starts it; a renewal, from the call.
    public let duration: Duration

    /// The code of the error that the call threw; nil if it succeeded.
    public let errorCode: TokenCacheError.Code?

    /// Creates an event, as the library does: for tests of what receives it.
    public init(_ kind: Kind, duration: Duration = .zero, errorCode: TokenCacheError.Code? = nil) {
        self.kind = kind
        self.duration = duration
        self.errorCode = errorCode
    }

    /// Which call was made. Later versions may add kinds.
    public struct Kind: Hashable, Sendable {
        /// The name, such as `save`: stable across versions and suitable for programs.
        public let name: String

        /// A group was opened, by `TokenCache.init(group:)` or `open`.
        public static let open = Self(name: "open")

        /// ``TokenCache/save(_:for:)``
        public static let save = Self(name: "save")

        /// ``TokenCache/renew(_:timeout:redeeming:)``, if no valid token was stored: this process asked the server, or
        /// waited for another one that did.
        public static let renew = Self(name: "renew")

        /// ``TokenCache/acquireApplicationToken(_:timeout:requesting:)``, if no valid token was stored.
        public static let acquireApplicationToken = Self(name: "acquireApplicationToken")

        /// ``TokenCache/noteRefusal(of:response:)``
        public static let noteRefusal = Self(name: "noteRefusal")

        /// This application was signed out of an account.
        public static let signOut = Self(name: "signOut")

        /// An account was removed, with the entries of every application.
        public static let wipe = Self(name: "wipe")

        /// ``TokenCache/learn(_:)``
        public static let learn = Self(name: "learn")

        /// ``TokenCache/currentAccount()``, which may record the account.
        public static let currentAccount = Self(name: "currentAccount")

        /// ``TokenCache/clearAll()``
        public static let clearAll = Self(name: "clearAll")
    }
}

extension CacheEvent: CustomStringConvertible {
    /// The kind, the duration and, if the call failed, what happened. Never content.
    public var description: String {
        let outcome = errorCode.map { " failed: \($0)" } ?? ""
        return "\(kind.name)\(outcome) (\(duration))"
    }
}

extension CacheEvent.Kind: CustomStringConvertible {
    /// The same as ``name``.
    public var description: String { name }
}
