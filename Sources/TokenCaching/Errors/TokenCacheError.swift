package import SystemPackage

/// Why the token cache could not do what it was asked.
///
/// Compare ``code`` to decide what to do; show ``description`` to users: one or two sentences that say what happened
/// and what to do next. Neither ever contains a token, a secret, a key, a user's name or the content of a cache. A file
/// path may appear, because it tells users where to look.
///
/// ```swift
/// do {
///     decision = try cache.token(for: query)
/// } catch where error.code == .busy || error.code == .timeout {
///     // Nothing was lost; try again.
/// }
/// ```
public struct TokenCacheError: Error, Hashable, Sendable {
    /// What callers tell apart.
    public let code: Code

    /// The file or folder concerned, where there is one.
    public let path: String?

    /// The number of the system error (`errno`) behind this one, where there is one.
    public let systemErrorNumber: Int32?

    /// Where in a document the trouble lies: bytes from its start, where that is known.
    public let byteOffset: Int?

    /// What the caller's own code threw, where that is the reason. It is not shown in ``description``: nobody knows what it
    /// holds.
    public var underlying: (any Error)? { cause?.error }

    /// What the token endpoint said last: in this call, or earlier to this or another process, where it still wants to be left alone.
    /// Nil where it said nothing.
    public var errorResponse: TokenErrorResponse? { response?.value }

    /// Compared by identity.
    private let cause: Cause?

    private var response: KeptErrorResponse?

    /// What exactly was found, as a fragment fit for people. Never content.
    package let detail: String?

    /// An error for code that the library calls: a sink that cannot write, a question for a passphrase that nobody answers,
    /// what a test of yours pretends.
    ///
    /// - Parameters:
    ///   - code: what callers tell apart.
    ///   - underlying: what your own code met.
    public init(_ code: Code, underlying: (any Error)? = nil) {
        self.init(code, detail: nil, underlying: underlying)
    }

    /// An error of the library's own making.
    ///
    /// - Parameters:
    ///   - code: what callers tell apart.
    ///   - detail: what exactly was found, such as "the passphrase is empty". Never content, never a name of the user.
    ///   - path: the file or folder concerned.
    ///   - errno: what the system said.
    ///   - byteOffset: where in a document the trouble lies.
    ///   - underlying: what the caller's own code threw.
    package init(
        _ code: Code,
        detail: String? = nil,
        path: String? = nil,
        errno: Errno? = nil,
        byteOffset: Int? = nil,
        underlying: (any Error)? = nil
    ) {
        cause = underlying.map { Cause($0) }
        self.code = code
        self.detail = detail
        self.path = path
        self.systemErrorNumber = errno?.rawValue
        self.byteOffset = byteOffset
    }
}

extension TokenCacheError {
    /// An error because of what a token endpoint said.
    init(_ code: Code, saying response: TokenErrorResponse?) {
        self.init(code, detail: nil)
        self.response = response.map(KeptErrorResponse.init)
    }

    /// The same, with what a token endpoint said before, unless it says something already.
    func saying(_ response: TokenErrorResponse?) -> TokenCacheError {
        guard self.response == nil, let response else { return self }
        var error = self
        error.response = KeptErrorResponse(response)
        return error
    }
}

extension TokenCacheError: CustomStringConvertible {
    /// What happened and what to do next, for people. Never content.
    public var description: String {
        var text = code.whatHappened
        var findings: [String] = []
        if let detail { findings.append(detail) }
        if let byteOffset { findings.append("at byte \(byteOffset)") }
        if let path { findings.append(path) }
        if let systemErrorNumber { findings.append("\(Errno(rawValue: systemErrorNumber))") }
        if !findings.isEmpty {
            text += " (" + findings.joined(separator: "; ") + ")"
        }
        return text + ". " + code.whatToDo + "."
    }
}

extension TokenCacheError {
    /// An error of the caller's own code.
    private final class Cause: Hashable, Sendable {
        let error: any Error

        init(_ error: any Error) {
            self.error = error
        }

        static func == (left: Cause, right: Cause) -> Bool { left === right }

        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }
}

/// What a server said, in one reference.
final class KeptErrorResponse: Hashable, Sendable {
    let value: TokenErrorResponse

    init(_ value: TokenErrorResponse) {
        self.value = value
    }

    static func == (left: KeptErrorResponse, right: KeptErrorResponse) -> Bool { left.value == right.value }

    func hash(into hasher: inout Hasher) { hasher.combine(value) }
}
