// SPDX-License-Identifier: Apache-2.0

#if SignIn
internal import GroupDirectory

/// Receives responses at a redirect URI with a scheme of the application's own, such as `com.example.app:/PATH` or
/// `msauth.com.example.app://auth` (RFC 8252, section 7.1).
///
/// The desktop starts a program for URLs of the scheme, as a desktop file says, and that program calls
/// ``PublicClient/handle(redirect:)``, or is `cachetool-sign-in handle-redirect`. For an application that is registered with
/// `http://localhost`, ``LoopbackListener`` is the better choice:
///
/// - The code is for a moment in the arguments of the program, and of `xdg-open`, which all users of the machine can read.
///   Without the verifier of PKCE, which never leaves this process, it is worth nothing.
/// - Any program of the user can register the same scheme.
/// - There has to be a desktop, or a browser that starts the program by itself.
///
/// The response comes as a query, since no form can be posted to such a URI. It reaches the process that waits by a socket that
/// only this user can open, in `$XDG_RUNTIME_DIR/swift-token-cache/redirects`, and the kernel is asked whose it is. Lines up to
/// 64 KiB are read, in ten seconds, from 64 connections at a time: a new one replaces the oldest that says nothing. A response with
/// another state, a second one and a late one are refused; the wait goes on. The page that the browser starts with comes from this
/// process by `http://localhost`, as with ``LoopbackListener``.
///
/// A session has a thread until it is closed. The socket of a process that was killed is removed by the next sign-in.
public struct CustomSchemeListener: RedirectListener {
    /// Creates a listener.
    public init() {}

    /// Begins to listen.
    ///
    /// - Parameter redirectURI: a URI whose scheme contains a dot, without a query.
    /// - Returns: a session that nothing else uses.
    /// - Throws: ``AcquisitionError/Code/redirectUnavailable`` if there is no folder for the socket that no other user can
    ///   enter, and ``AcquisitionError/Code/configurationRejected`` if the redirect URI has another form.
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

/// The wait for one response at a URI of the application's own.
struct CustomSchemeSession: RedirectSession {
    let redirectURI: String
    /// What leads the browser to the server.
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
    /// Passes on a URL that the desktop started this process with, or that it was given while it runs: the response to a
    /// request of this process, or of another one of the user, at a redirect URI with a scheme of the application's own.
    ///
    /// Call it first, before the cache is opened, and end the process if it returns true and has nothing else to do. It has a
    /// thread while it runs, ten seconds at most.
    ///
    /// - Parameter url: the whole URL. It contains a code, which is secret.
    /// - Returns: whether the URL is a response that is waited for. A URL of something else, a response with another state, a
    ///   second one and one that comes too late are not.
    public static func handle(redirect url: String) async -> Bool {
        guard let (scheme, _) = CustomSchemeAddress.parts(of: url), url.utf8.count < RedirectDelivery.longestLine,
            !url.utf8.contains(UInt8(ascii: "\n")), let folder = try? RedirectFolder.open(creates: false),
            let names = try? folder.names()
        else { return false }
        let prefix = CustomSchemeAddress.socketPrefix(of: scheme)
        // The paths are valid while the folder is open.
        defer { withExtendedLifetime(folder) {} }
        return await RedirectDelivery.deliver(url, to: names.filter { $0.hasPrefix(prefix) }.map(folder.shortPath))
    }
}
#endif
