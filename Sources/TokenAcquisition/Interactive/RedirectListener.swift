// SPDX-License-Identifier: Apache-2.0

/// Receives what the server sends back through the browser.
public protocol RedirectListener: Sendable {
    /// Begins to listen, for one request only.
    ///
    /// - Parameter redirectURI: ``ClientConfiguration/redirectURI``.
    /// - Returns: a session that nothing else uses.
    /// - Throws: ``AcquisitionError/Code/redirectUnavailable`` if the redirect URI is in use, and
    ///   ``AcquisitionError/Code/configurationRejected`` if the listener is not for such a URI.
    func listen(at redirectURI: String) async throws(AcquisitionError) -> any RedirectSession
}

/// Waits for the redirect of one request.
public protocol RedirectSession: Sendable {
    /// The redirect URI, as the application registered it, with the port.
    var redirectURI: String { get }

    /// The URL to open in the browser. Since it appears in lists of processes, it should contain nothing of the
    /// authorization URL, which names the user, and lead there once. A later call replaces the URL.
    ///
    /// - Parameter authorizationURL: where the browser has to arrive.
    /// - Returns: a URL that leads there.
    func startURL(for authorizationURL: String) async -> String

    /// The URL to open in the browser so that it posts a form to the server. It should contain nothing of the form, and lead
    /// there once; it replaces, and is replaced by, those of ``startURL(for:)``.
    ///
    /// - Parameters:
    ///   - form: the form, encoded as `application/x-www-form-urlencoded`. It names the user.
    ///   - url: where the browser has to post it.
    /// - Returns: a URL that leads there; nil, as the implementation for sessions without one does, if the form has to
    ///   become the query of a URL.
    func startURL(posting form: [UInt8], to url: String) async -> String?

    /// Waits for the response. Ends if the task is cancelled.
    ///
    /// - Parameter judge: is called with each request to the redirect URI. ``RedirectVerdict/foreign`` does not end the
    ///   wait; the others do, and determine what the browser shows.
    /// - Returns: the response that ended the wait.
    /// - Throws: ``AcquisitionError/Code/cancelled``, ``AcquisitionError/Code/redirectUnavailable``.
    func response(
        judging judge: @escaping @Sendable (RedirectResponse) -> RedirectVerdict
    ) async throws(AcquisitionError) -> RedirectResponse

    /// Stops listening. Responses that come later are lost.
    func close() async
}

extension RedirectSession {
    /// Returns nil.
    public func startURL(posting form: [UInt8], to url: String) async -> String? { nil }
}

/// A request to the redirect URI, as it came from the browser. Anyone on the machine can send one.
public struct RedirectResponse: Sendable {
    /// Whether it was a form (POST) or a query (GET).
    public let mode: ResponseMode
    /// The form or the query, encoded as `application/x-www-form-urlencoded`. Contains the code, which is secret.
    public let parameters: [UInt8]
    /// Whether the listener knows that this user, or root, sent it; false unless a listener has checked that. Behind a relay,
    /// such as that of WSL, it does not. A response that is accepted without that makes an event.
    public var isSenderKnown = false

    /// Creates a response.
    ///
    /// - Parameters:
    ///   - mode: whether it was a form or a query.
    ///   - parameters: the form or the query, encoded, without the question mark.
    public init(mode: ResponseMode, parameters: [UInt8]) {
        self.mode = mode
        self.parameters = parameters
    }
}

extension RedirectResponse: CustomStringConvertible, CustomReflectable {
    /// How it came.
    public var description: String { "RedirectResponse(\(mode.rawValue))" }

    /// No children, so that the code does not appear in logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// What a request to the redirect URI is.
@nonexhaustive
public enum RedirectVerdict: Hashable, Sendable {
    /// It does not belong to this request. Refuse it, and go on waiting.
    case foreign
    /// The user signed in, or out: the page may say that the window can be closed.
    case completed
    /// It failed, or the user declined: the page may say so.
    case failed
}
