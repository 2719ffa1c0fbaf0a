// SPDX-License-Identifier: Apache-2.0

internal import GroupRecords
package import RecordStorage
internal import SystemPackage

/// Why a call of the token cache failed.
///
/// Compare ``code`` to decide what to do; show ``description`` to users: one or two sentences that say what happened
/// and what to do next. Neither ever contains a token, a secret, a key, a user's name or the content of a cache. A file
/// path may appear, because users need to know where to look.
///
/// ```swift
/// do {
///     decision = try cache.token(for: query)
/// } catch where error.code == .busy || error.code == .timeout {
///     // Nothing was lost; try again.
/// }
/// ```
public struct TokenCacheError: Error, Hashable, Sendable {
    /// The error of a lower layer.
    package let reason: StorageError

    private let response: KeptErrorResponse?

    /// The kind of error, for callers to compare.
    public var code: Code { Code(reason.code) }

    /// The file or folder concerned, if any.
    public var path: String? { reason.path }

    /// The number of the system error (`errno`) behind this one, if any.
    public var systemErrorNumber: Int32? { reason.errno?.rawValue }

    /// The exact problem as a sentence fragment, such as "the passphrase is empty"; nil if ``code`` says everything. It
    /// is part of ``description`` and never contains data from a cache.
    public var detail: String? { reason.detail }

    /// What to do about it: the last sentence of ``description``. Never empty.
    public var advice: String { (reason.advice ?? code.whatToDo) + "." }

    /// The position of the error in a document, in bytes from its start, if known.
    public var byteOffset: Int? { reason.byteOffset }

    /// The error that the caller's own code threw, if that is the reason. ``description`` leaves it out, because its
    /// content is unknown.
    public var underlying: (any Error)? { reason.underlying }

    /// The token endpoint's last error response. If the endpoint must not be asked again yet, this is the response to
    /// an earlier call of this or another process. Nil if there is none.
    public var errorResponse: TokenErrorResponse? { response?.value }

    /// Creates an error for code that the library calls to throw: for a sink that cannot write, a passphrase prompt
    /// without an answer, or a failure that your test simulates.
    ///
    /// - Parameters:
    ///   - code: the kind of error.
    ///   - underlying: the error that your own code got.
    public init(_ code: Code, underlying: (any Error)? = nil) {
        self.init(StorageError(code.reason, underlying: underlying))
    }

    /// Creates an error for the caller from that of a lower layer.
    ///
    /// - Parameters:
    ///   - reason: the error that was thrown.
    ///   - response: the token endpoint's response that caused it, if any.
    package init(_ reason: StorageError, saying response: TokenErrorResponse? = nil) {
        self.reason = reason
        self.response = response.map(KeptErrorResponse.init)
    }
}

extension TokenCacheError: CustomStringConvertible {
    /// What happened and what to do next, for users. Never contains content of a cache.
    public var description: String { "\(whatHappened) \(advice)" }

    /// What happened: the first sentence of ``description``.
    package var whatHappened: String {
        var text = code.whatHappened
        var findings: [String] = []
        if let detail = reason.detail { findings.append(detail) }
        if let byteOffset { findings.append("at byte \(byteOffset)") }
        if let path { findings.append(path) }
        if let errno = reason.errno { findings.append("\(errno)") }
        if !findings.isEmpty {
            text += " (" + findings.joined(separator: "; ") + ")"
        }
        return text + "."
    }
}

/// Evaluates `call`, and throws its error as a `TokenCacheError`. For public functions only: everything below them
/// throws `StorageError`.
@inline(__always)
package func translating<Result: ~Copyable>(
    _ call: @autoclosure () throws(StorageError) -> Result
) throws(TokenCacheError) -> Result {
    do throws(StorageError) {
        return try call()
    } catch {
        throw TokenCacheError(error)
    }
}

/// A token endpoint's response behind a single reference.
final class KeptErrorResponse: Hashable, Sendable {
    let value: TokenErrorResponse

    init(_ value: TokenErrorResponse) {
        self.value = value
    }

    static func == (left: KeptErrorResponse, right: KeptErrorResponse) -> Bool { left.value == right.value }

    func hash(into hasher: inout Hasher) { hasher.combine(value) }
}
