// SPDX-License-Identifier: Apache-2.0

/// Something that keeps a stored token from being the answer to a query.
///
/// Later versions may add shortfalls: a `switch` needs an `@unknown default`.
@nonexhaustive
public enum TokenShortfall: Hashable, Sendable {
    /// Another application obtained it, and the query's may not use it.
    case client
    /// It belongs to a cloud other than the query's.
    case environment
    /// It belongs to a tenant other than the query's.
    case tenant
    /// It is isolated: by claims, an extended cache key, an application or an assertion that the query does not give.
    case isolation
    /// It is of another type, such as `pop` instead of a bearer token.
    case tokenType
    /// It is bound to another key.
    case key
    /// It was not granted these scopes of the query, folded.
    case scopes([String])
    /// It has expired, or expires within the query's margin.
    case expired
    /// Its times cannot be trusted: it was cached in the future, or expires more than a century from now.
    case implausibleTimes

    /// The name of the kind of shortfall: stable across versions and suitable for programs.
    public var name: String {
        switch self {
        case .client: "client"
        case .environment: "environment"
        case .tenant: "tenant"
        case .isolation: "isolation"
        case .tokenType: "tokenType"
        case .key: "key"
        case .scopes: "scopes"
        case .expired: "expired"
        case .implausibleTimes: "implausibleTimes"
        }
    }

    /// How far this shortfall puts a token from the query: a small number if a renewal cures it, a large one for
    /// another application.
    var distance: Int {
        switch self {
        case .client: 64_000
        case .environment: 32_000
        case .tenant: 16_000
        case .isolation: 8_000
        case .tokenType, .key: 4_000
        case .scopes(let missing): 2_000 + min(missing.count, 999)
        case .expired, .implausibleTimes: 1_000
        }
    }
}

extension TokenShortfall: CustomStringConvertible {
    /// The same as ``name``.
    public var description: String { name }
}
