// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TokenAcquisition

@Suite struct CustomSchemeListenerTests {
    private static let uri = "msauth.com.example.App://auth"
    private static let right = uri + "?code=c&state=right"

    /// A session of a user whose runtime folder is new.
    private final class Waiting: Sendable {
        let session: any RedirectSession
        let response: Task<RedirectResponse, any Error>

        init(_ uri: String = CustomSchemeListenerTests.uri) async throws {
            let session = try await CustomSchemeListener().listen(at: uri)
            self.session = session
            response = Task {
                try await session.response { response in
                    String(decoding: response.parameters, as: UTF8.self).contains("state=right") ? .completed : .foreign
                }
            }
        }

        func end() async {
            response.cancel()
            await session.close()
        }
    }

    private let runtime: URL

    init() throws {
        runtime = FileManager.default.temporaryDirectory.appending(path: "r-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: runtime, withIntermediateDirectories: true)
        setenv("XDG_RUNTIME_DIR", runtime.path, 1)
    }

    private var folder: URL { runtime.appending(path: "swift-token-cache/redirects") }

    private func sockets() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).map { folder.appending(path: $0).path }
    }

    private func permissions(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.posixPermissions] as? Int)
    }

    private func parameters(_ waiting: Waiting) async throws -> String {
        String(decoding: try await waiting.response.value.parameters, as: UTF8.self)
    }

    @Test func `a URL that is handled in any process of the user arrives as a query`() async throws {
        let waiting = try await Waiting()
        #expect(waiting.session.redirectURI == Self.uri)
        #expect(await PublicClient.handle(redirect: Self.right))
        let response = try await waiting.response.value
        #expect(response.mode == .query && response.isSenderKnown)
        #expect(String(decoding: response.parameters, as: UTF8.self) == "code=c&state=right")
        await waiting.end()
    }

    /// URLs of browsers and desktops that lead to the redirect URI, and others.
    static let urls: [(uri: String, url: String, isAwaited: Bool)] = [
        ("com.example.app:/signed/in", "com.example.app:/signed/in?state=right", true),
        ("com.example.app:/signed/in", "COM.example.app:/signed/in?state=right", true),
        ("com.example.app:/signed/in", "com.example.app:/signed/in?state=right#_=_", true),
        ("com.example.app:/signed/in", "com.example.app:/signed/in#state=right", false),
        ("com.example.app:/signed/in", "com.example.app:/signed/in/?state=right", false),
        ("com.example.app:/signed/in", "com.example.app:/?state=right", false),
        ("com.example.app:/signed/in", "com.example.app://signed/in?state=right", false),
        ("com.example.app:/signed/in", "com.example.apps:/signed/in?state=right", false),
        ("com.example.app:/signed/in", "com.example.app:/signed/in?state=right\n", false),
        ("com.example.app:/signed/in", "http://localhost/signed/in?state=right", false),
        ("com.example.app:/signed/in", "state=right", false),
        ("com.example.app:/signed/in", "", false),
    ]

    @Test(arguments: urls.indices) func `a URL has to lead to the redirect URI`(_ index: Int) async throws {
        let (uri, url, isAwaited) = Self.urls[index]
        let waiting = try await Waiting(uri)
        #expect(await PublicClient.handle(redirect: url) == isAwaited)
        await waiting.end()
    }

    @Test(arguments: [
        "http://localhost", "https://example.com/x", "file:/tmp/x", "javascript:/x", "msal12345://auth",
        "com.example.app",
        "com.example.app:", "com.example.app:auth", "com.example.app:/a?b", "com.example.app:/a#b",
        "com.example.app:/a b",
        "com.example.app:/%41", "com.example.app://a@b", ".example:/a", "1.example:/a", "com.exämple:/a", "",
        "com.example.app:/" + String(repeating: "x", count: 1024),
    ])
    func `a redirect URI of another form, or with a scheme that is not the application's own, is refused`(_ uri: String)
        async
    {
        await #expect {
            _ = try await CustomSchemeListener().listen(at: uri)
        } throws: {
            ($0 as? AcquisitionError)?.code == .configurationRejected
        }
    }

    @Test(arguments: ["com.example.app:/auth", "http://localhost/auth"])
    func `the redirect URI decides how the services of the system listen`(_ uri: String) async throws {
        let session = try #require(try await Services.system.redirectListener?.listen(at: uri))
        #expect(session.redirectURI.hasPrefix(uri.prefix(12)) && session.redirectURI.hasSuffix("/auth"))
        await session.close()
    }

    @Test func `responses with another state do not end the wait, and a second or late one is refused`() async throws {
        let waiting = try await Waiting()
        #expect(await !PublicClient.handle(redirect: Self.uri + "?code=c&state=wrong"))
        #expect(await !PublicClient.handle(redirect: Self.uri))
        #expect(await PublicClient.handle(redirect: Self.right))
        #expect(await !PublicClient.handle(redirect: Self.uri + "?code=second&state=right"))
        #expect(try await parameters(waiting) == "code=c&state=right")
        await waiting.end()
        #expect(await !PublicClient.handle(redirect: Self.uri + "?code=late&state=right"))
    }

    @Test func `a response that comes before anyone waits is kept`() async throws {
        let session = try await CustomSchemeListener().listen(at: Self.uri)
        let handled = Task { await PublicClient.handle(redirect: Self.right) }
        try await Task.sleep(for: .milliseconds(200))
        let response = try await session.response { _ in .completed }
        #expect(String(decoding: response.parameters, as: UTF8.self) == "code=c&state=right")
        #expect(await handled.value)
        await session.close()
    }

    @Test func `of several requests at the same time each gets its own response`() async throws {
        let sessions = try await [
            CustomSchemeListener().listen(at: Self.uri), CustomSchemeListener().listen(at: Self.uri),
        ]
        let responses = sessions.enumerated().map { number, session in
            Task {
                try await session.response { response in
                    String(decoding: response.parameters, as: UTF8.self).hasSuffix("=\(number)") ? .completed : .foreign
                }
            }
        }
        for number in [1, 0] {
            #expect(await PublicClient.handle(redirect: Self.uri + "?state=\(number)"))
            let parameters = try await responses[number].value.parameters
            #expect(String(decoding: parameters, as: UTF8.self) == "state=\(number)")
        }
        for session in sessions { await session.close() }
    }

    /// What programs may send to the socket, and what they get: nil if only the connection is closed.
    static let hostile: [(what: String, input: String, answer: String?)] = [
        ("another state", uri + "?state=wrong\n", "0"),
        ("another scheme", "com.example.other://auth?state=right\n", "0"),
        ("two lines", right + "\n" + right + "\n", "0"),
        ("nothing but a line feed", "\n", "0"),
        ("zeros", String(repeating: "\0", count: 100) + "\n", "0"),
        ("HTTP", "GET /?state=right HTTP/1.1\r\n\r\n", "0"),
        ("a megabyte without an end", String(repeating: "x", count: 1 << 20), nil),
        ("a line that is too long", right + String(repeating: "x", count: 1 << 16) + "\n", nil),
    ]

    @Test(arguments: hostile.indices) func `what is not expected is refused, and the wait goes on`(_ index: Int)
        async throws
    {
        let (_, input, answer) = Self.hostile[index]
        let waiting = try await Waiting()
        let connection = try #require(RawConnection(path: sockets()[0]))
        connection.send(input)
        #expect(await connection.response() == answer ?? "")
        #expect(await PublicClient.handle(redirect: Self.right))
        #expect(try await parameters(waiting) == "code=c&state=right")
        await waiting.end()
    }

    @Test func `a message in pieces arrives, and connections that say nothing or only a half keep nobody out`()
        async throws
    {
        let waiting = try await Waiting()
        let path = try sockets()[0]
        let silent = (0..<200).map { _ in RawConnection(path: path) }
        for connection in silent { connection?.send(Self.uri) }
        // The oldest was closed for the newer ones.
        #expect(await silent[0]?.response() == "")
        let slow = try #require(RawConnection(path: path))
        for piece in [Self.uri, "?code=c", "&state=right", "\n"] {
            slow.send(piece)
            try await Task.sleep(for: .milliseconds(50))
        }
        #expect(await slow.response() == "1")
        await waiting.end()
    }

    @Test func `half a message is given up after ten seconds`() async throws {
        let waiting = try await Waiting()
        let connection = try #require(RawConnection(path: sockets()[0]))
        connection.send(Self.right)
        let start = ContinuousClock.now
        #expect(await connection.response() == "")
        let duration = start.duration(to: .now)
        #expect(duration > .seconds(9) && duration < .seconds(20))
        await waiting.end()
    }

    @Test func `no other user can open the socket, and nothing is left of it at the end`() async throws {
        let waiting = try await Waiting()
        #expect(try permissions(folder.path) == 0o700)
        #expect(try sockets().map(permissions) == [0o600])
        await waiting.end()
        #expect(try sockets() == [])
        let cancelled = try await Waiting()
        cancelled.response.cancel()
        await #expect { try await cancelled.response.value } throws: { ($0 as? AcquisitionError)?.code == .cancelled }
        await cancelled.session.close()
        #expect(try sockets() == [])
    }

    /// As root, another user is let into the folder.
    @Test(.enabled(if: geteuid() == 0)) func `another user is refused even where the socket can be reached`()
        async throws
    {
        let waiting = try await Waiting()
        let path = try sockets()[0]
        for folder in [runtime, runtime.appending(path: "swift-token-cache"), folder] { chmod(folder.path, 0o755) }
        chmod(path, 0o666)
        func answer(asUser user: Int) throws -> String {
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/setpriv")
            let body = """
                import socket
                s = socket.socket(socket.AF_UNIX)
                s.connect("\(path)")
                try:
                    s.sendall(b"\(Self.right)\\n")
                    print("answered", s.recv(1).decode())
                except ConnectionError:
                    print("closed")
                """
            process.arguments = [
                "--reuid=\(user)", "--regid=\(user)", "--clear-groups", "/usr/bin/python3", "-c", body,
            ]
            let pipe = Pipe()
            process.standardOutput = pipe
            try process.run()
            let output = pipe.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            return String(decoding: output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        }
        #expect(["closed", "answered"].contains(try answer(asUser: 65534)))
        #expect(try answer(asUser: 0) == "answered 1")
        await waiting.end()
    }

    @Test func `a folder that other users can enter is not used`() async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        chmod(folder.path, 0o755)
        await #expect {
            _ = try await CustomSchemeListener().listen(at: Self.uri)
        } throws: {
            ($0 as? AcquisitionError)?.code == .redirectUnavailable
        }
    }

    @Test func `the socket of a process that was killed is in nobody's way, and goes with the next sign-in`()
        async throws
    {
        let killed = try await Waiting()
        let path = try sockets()[0]
        // What is left of it is a name at which nobody listens.
        try FileManager.default.moveItem(atPath: path, toPath: path + "1")
        await killed.end()
        #expect(try sockets() == [path + "1"])
        #expect(await !PublicClient.handle(redirect: Self.right))
        let next = try await Waiting()
        #expect(try !sockets().contains(path + "1"))
        #expect(await PublicClient.handle(redirect: Self.right))
        await next.end()
    }

    @Test func `a runtime folder with a long path is no problem`() async throws {
        let long = runtime.appending(path: String(repeating: "x", count: 200))
        try FileManager.default.createDirectory(at: long, withIntermediateDirectories: true)
        setenv("XDG_RUNTIME_DIR", long.path, 1)
        let waiting = try await Waiting()
        #expect(await PublicClient.handle(redirect: Self.right))
        await waiting.end()
    }

    @Test func `the start URL is of this machine, and answers nothing but itself`() async throws {
        let waiting = try await Waiting()
        let url = try #require(
            URLComponents(string: await waiting.session.startURL(for: "https://login.example/?state=s"))
        )
        let (host, port) = ("localhost:\(url.port ?? 0)", try #require(url.port))
        #expect(url.host == "localhost" && url.path.hasPrefix("/start/") && url.query == nil)
        for target in ["/?state=right", "/auth?state=right"] {
            #expect(await status(port, get(target, host: host)) == 404)
        }
        let answer = await exchange(port, get(url.path, host: host))
        #expect(answer.hasPrefix("HTTP/1.1 303 ") && answer.header("Location") == "https://login.example/?state=s")
        await waiting.end()
    }
}
