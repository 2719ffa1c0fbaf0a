// SPDX-License-Identifier: Apache-2.0

/// Receives the server's response through the browser.
public protocol RedirectListener: Sendable {
    /// Starts to listen, for one request only.
    ///
    /// - Parameter redirectURI: ``ClientConfiguration/redirectURI(at:)``.
    /// - Returns: a session that nothing else uses.
    /// - Throws: ``AcquisitionError/Code/redirectUnavailable`` if the redirect URI is in use, and
    ///   ``AcquisitionError/Code/configurationRejected`` if the listener does not support such a URI.
    func listen(at redirectURI: String) async throws(AcquisitionError) -> any RedirectSession
}

/// Waits for the redirect of one request.
public protocol RedirectSession: Sendable {
    /// The redirect URI, as the application registered it, with the port.
    var redirectURI: String { get }

    /// Returns the URL to open in the browser. Since it appears in lists of processes, it should contain nothing of the
    /// authorization URL, which names the user, and should lead there only once. A later call replaces it.
    ///
    /// - Parameter authorizationURL: the URL that the browser has to reach.
    /// - Returns: a URL that leads there.
    func startURL(for authorizationURL: String) async -> String

    /// Waits for the response. Returns early if the task is cancelled.
    ///
    /// - Parameter judge: called with each request to the redirect URI. ``RedirectVerdict/foreign`` does not end the
    ///   wait; the other verdicts do, and determine what the browser shows.
    /// - Returns: the response that ended the wait.
    /// - Throws: ``AcquisitionError/Code/cancelled``, ``AcquisitionError/Code/redirectUnavailable``.
    func response(
        judging judge: @escaping @Sendable (RedirectResponse) -> RedirectVerdict
    ) async throws(AcquisitionError) -> RedirectResponse

    /// Stops listening. Later responses are lost.
    func close() async
}

/// A request to the redirect URI, as the browser sent it. Any process on the machine can send one.
public struct RedirectResponse: Sendable {
    /// Whether the request was a form (POST) or a query (GET).
    public let mode: ResponseMode
    /// The form or the query, encoded as `application/x-www-form-urlencoded`. Contains the code, which is secret.
    public let parameters: [UInt8]

    /// Creates a response.
    ///
    /// - Parameters:
    ///   - mode: whether the request was a form or a query.
    ///   - parameters: the form or the query, encoded, without the question mark.
    public init(mode: ResponseMode, parameters: [UInt8]) {
        self.mode = mode
        self.parameters = parameters
    }
}

extension RedirectResponse: CustomStringConvertible, CustomReflectable {
    /// How the request was sent.
    public var description: String { "RedirectResponse(\(mode.rawValue))" }

    /// No children, so that the code does not appear in logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The meaning of a request to the redirect URI.
@nonexhaustive
public enum RedirectVerdict: Hashable, Sendable {
    /// It does not belong to this request. The session refuses it, and continues to wait.
    case foreign
    /// The user signed in or out. The page may say that the window can be closed.
    case completed
    /// The request failed, or the user declined. The page may say so.
    case failed
}

extension RedirectSession {
    /// Waits for the response until the deadline. The wait begins before the browser opens, so that a response is
    /// judged at once, however many other requests arrive.
    ///
    /// - Parameters:
    ///   - deadline: when to stop waiting.
    ///   - open: opens the browser. Its error ends the wait.
    ///   - judge: as for ``response(judging:)``.
    /// - Returns: the response that `judge` accepts as the answer.
    /// - Throws: `timeout`, `cancelled`, and the errors of `open` and of ``response(judging:)``.
    func response(
        until deadline: RequestDeadline,
        opening open: () async throws(AcquisitionError) -> Void,
        judging judge: @escaping @Sendable (RedirectResponse) -> RedirectVerdict
    ) async throws(AcquisitionError) -> RedirectResponse {
        let remaining = deadline.remaining
        typealias Outcome = Result<RedirectResponse, AcquisitionError>
        let outcome = await withTaskGroup(of: Outcome.self, returning: Outcome.self) { group in
            group.addTask {
                do throws(AcquisitionError) {
                    return .success(try await response(judging: judge))
                } catch {
                    return .failure(error)
                }
            }
            group.addTask {
                do { try await Task.sleep(for: remaining) } catch { return .failure(AcquisitionError(.cancelled)) }
                return .failure(AcquisitionError(.timeout, detail: "the user did not return from the browser"))
            }
            defer { group.cancelAll() }
            do throws(AcquisitionError) { try await open() } catch { return .failure(error) }
            return await group.next() ?? .failure(AcquisitionError(.cancelled))
        }
        return try outcome.get()
    }
}
