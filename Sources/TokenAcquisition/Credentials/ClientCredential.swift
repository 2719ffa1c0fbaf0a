// SPDX-License-Identifier: Apache-2.0

internal import TokenCaching

/// What a client authenticates with at the token endpoint, if it is not a public client (RFC 6749, section 2.3): a secret,
/// or an assertion that somebody signed for it (RFC 7523).
///
/// ```swift
/// configuration.credential = .secret { try ClientSecret(readingFileAt: "/run/myservice/secret") }
/// ```
///
/// The closure is called anew for every request, and before a browser opens, so that a secret can be replaced while the
/// program runs. What it returns is wiped once the request is written, and never kept. It may be called on any thread, and
/// several times at once; it limits its own time. An error
/// that it throws ends the request before anything is sent: ``AcquisitionError/Code/configurationRejected``, with the error in
/// ``AcquisitionError/cacheError`` if it is a `TokenCacheError`, and otherwise in ``AcquisitionError/underlying``.
public struct ClientCredential: Hashable, Sendable {
    enum Kind {
        case secret, assertion
    }

    private final class Source: Sendable {
        let provide: @Sendable () async throws -> ClientSecret

        init(_ provide: @escaping @Sendable () async throws -> ClientSecret) {
            self.provide = provide
        }
    }

    let kind: Kind
    private let source: Source

    private init(_ kind: Kind, _ provide: @escaping @Sendable () async throws -> ClientSecret) {
        self.kind = kind
        source = Source(provide)
    }

    /// A client secret, which is sent as the server's metadata says: in the header (`client_secret_basic`), which is also
    /// meant if it says nothing, or else in the body (`client_secret_post`), as also at a server without metadata.
    ///
    /// - Parameter provide: returns the current secret.
    /// - Returns: the credential.
    public static func secret(_ provide: @escaping @Sendable () async throws -> ClientSecret) -> ClientCredential {
        ClientCredential(.secret, provide)
    }

    /// A signed assertion (RFC 7523, section 2.2): a JWT that names the client as its subject, such as the token of a
    /// federated workload.
    ///
    /// - Parameter provide: returns an assertion that is valid now.
    /// - Returns: the credential.
    public static func assertion(_ provide: @escaping @Sendable () async throws -> ClientSecret) -> ClientCredential {
        ClientCredential(.assertion, provide)
    }

    /// The assertion in a file that somebody else keeps valid, such as the projected service account token of Kubernetes.
    ///
    /// - Parameter path: the path of a file that ``ClientSecret/init(readingFileAt:mayBeMounted:)`` accepts, mounted or
    ///   private.
    /// - Returns: the credential.
    public static func assertion(inFileAt path: String) -> ClientCredential {
        .assertion { try ClientSecret(readingFileAt: path, mayBeMounted: true) }
    }

    /// Whether both are copies of one value.
    public static func == (left: ClientCredential, right: ClientCredential) -> Bool { left.source === right.source }

    /// Hashes the identity of the value.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(source))
    }

    /// Gets the current secret.
    ///
    /// - Throws: `configurationRejected` if the closure throws; `cancelled`.
    func current() async throws(AcquisitionError) -> ClientSecret {
        do {
            return try await source.provide()
        } catch let error as AcquisitionError {
            throw error
        } catch {
            if Task.isCancelled { throw AcquisitionError(.cancelled) }
            throw AcquisitionError(.configurationRejected, detail: "the client has no secret to authenticate with") {
                $0.cacheError = error as? TokenCacheError
                $0.underlying = error
            }
        }
    }
}

extension ClientCredential: CustomStringConvertible, CustomReflectable {
    /// The type's name.
    public var description: String { "ClientCredential" }

    /// No children, because the closure may hold a secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
