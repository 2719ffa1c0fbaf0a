// SPDX-License-Identifier: Apache-2.0

#if SignIn
internal import GroupDirectory

/// Receives responses at a redirect URI with a scheme of the application's own, such as `com.example.app:/PATH` or
/// `msauth.com.example.app://auth` (RFC 8252, section 7.1).
///
/// For URLs of the scheme the desktop starts a program, which a desktop file names. That program calls
/// ``PublicClient/handle(redirect:)``, or is `cachetool-sign-in handle-redirect`. For an application that is registered
/// with `http://localhost`, ``LoopbackListener`` is the better choice:
///
/// - For a moment, the code is in the arguments of the program, and of `xdg-open`, which all users of the machine can
///   read. Without the PKCE verifier, which never leaves this process, the code is worthless.
/// - Any program of the user can register the same scheme.
/// - It needs a desktop, or a browser that starts the program by itself.
///
/// The response is a query, because a browser cannot post a form to such a URI. It reaches the waiting process through
/// a socket that only this user can open, in `$XDG_RUNTIME_DIR/swift-token-cache/redirects`, whose peer the listener
/// verifies with the kernel. The listener reads lines of up to 64 KiB, for up to ten seconds, from 64 connections at a
/// time: a new connection replaces the oldest one that has sent nothing. It refuses a response with another state, a
/// second one and a late one, and continues to wait. This process serves the page that the browser starts with at
/// `http://localhost`, as with ``LoopbackListener``.
///
/// A session has a thread until it is closed. If a process is killed, the next sign-in removes its socket.
public struct CustomSchemeListener: RedirectListener {
    /// Creates a listener.
    public init() {}

    /// Starts to listen.
    ///
    /// - Parameter redirectURI: a URI whose scheme contains a dot, without a query.
    /// - Returns: a session that nothing else uses.
    /// - Throws: ``AcquisitionError/Code/redirectUnavailable`` if there is no folder for the socket that only this user
    ///   can enter, and ``AcquisitionError/Code/configurationRejected`` if the redirect URI has another form.
    public func listen(at redirectURI: String) async throws(AcquisitionError) -> any RedirectSession {
        let address = try CustomSchemeAddress(redirectURI)
        let start = try await LoopbackSession.start(
            at: LoopbackAddress(host: "localhost", port: nil, path: ""),
            path: nil
        )
        do throws(AcquisitionError) {
            let socket = try await RedirectSocket.start(address, start.pending, on: start.server.group)
            return CustomSchemeSession(redirectURI: redirectURI, start: start, socket: socket)
        } catch {
            await start.close()
            throw error
        }
    }
}

/// The wait for one response at a URI with a custom scheme.
struct CustomSchemeSession: RedirectSession {
    let redirectURI: String
    /// Serves the page that leads the browser to the server.
    let start: LoopbackSession
    let socket: RedirectSocket

    func startURL(for authorizationURL: String) async -> String { await start.startURL(for: authorizationURL) }

    func startURL(posting form: [UInt8], to url: String) async -> String? {
        await start.startURL(posting: form, to: url)
    }

    func response(
        judging judge: @escaping @Sendable (RedirectResponse) -> RedirectVerdict
    ) async throws(AcquisitionError) -> RedirectResponse {
        try await start.response(judging: judge)
    }

    func close() async {
        await socket.close()
        await start.close()
    }
}

extension PublicClient {
    /// Forwards a URL that the desktop passed to this process, at its start or later, to the process that waits for it:
    /// the response to a request of this process, or of another process of the user, at a redirect URI with a scheme of
    /// the application's own.
    ///
    /// Call it first, before opening the cache, and exit if it returns true and the process has nothing else to do. It
    /// uses a thread while it runs, for ten seconds at most.
    ///
    /// - Parameter url: the whole URL. It contains a code, which is secret.
    /// - Returns: true if a process was waiting for this response; false for any other URL, a response with another
    ///   state, a second one and a late one.
    public static func handle(redirect url: String) async -> Bool {
        guard let (scheme, _) = CustomSchemeAddress.parts(of: url), url.utf8.count < RedirectDelivery.longestLine,
            !url.utf8.contains(UInt8(ascii: "\n")), let folder = try? RedirectFolder.open(creates: false),
            let names = try? folder.names()
        else { return false }
        let prefix = CustomSchemeAddress.socketPrefix(of: scheme)
        // The paths are valid only while the folder is open.
        defer { withExtendedLifetime(folder) {} }
        return await RedirectDelivery.deliver(url, to: names.filter { $0.hasPrefix(prefix) }.map(folder.shortPath))
    }
}
#endif
