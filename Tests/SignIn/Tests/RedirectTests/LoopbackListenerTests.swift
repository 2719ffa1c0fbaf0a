// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TokenAcquisition

@Suite struct LoopbackListenerTests {
    /// A session that waits for `state=right`.
    private final class Waiting: Sendable {
        let session: any RedirectSession
        let port: Int
        let response: Task<RedirectResponse, any Error>

        init(_ uri: String = "http://localhost") async throws {
            let session = try await LoopbackListener().listen(at: uri)
            self.session = session
            port = try #require(URLComponents(string: session.redirectURI)?.port)
            response = Task {
                try await session.response { response in
                    String(decoding: response.parameters, as: UTF8.self).contains("state=right") ? .completed : .foreign
                }
            }
        }

        var host: String { "localhost:\(port)" }

        func end() async {
            response.cancel()
            await session.close()
        }
    }

    private func parameters(_ waiting: Waiting) async throws -> String {
        String(decoding: try await waiting.response.value.parameters, as: UTF8.self)
    }

    @Test(arguments: ["127.0.0.1", "::1"])
    func `a form that is posted to localhost arrives by either address`(_ address: String) async throws {
        let waiting = try await Waiting()
        #expect(waiting.session.redirectURI == "http://localhost:\(waiting.port)")
        let answer = await exchange(waiting.port, post("/", host: waiting.host, "code=c&state=right"), host: address)
        #expect(answer.hasPrefix("HTTP/1.1 200 "))
        let response = try await waiting.response.value
        #expect(response.mode == .formPost)
        #expect(String(decoding: response.parameters, as: UTF8.self) == "code=c&state=right")
        await waiting.end()
    }

    /// Only root, or a container that allows it, can listen at port 80.
    @Test(.serialized, .enabled(if: getuid() == 0), arguments: ["localhost", "localhost:80"])
    func `at port 80 the host may come without its port, as browsers send it`(_ host: String) async throws {
        let waiting = try await Waiting("http://localhost:80/signed/in")
        #expect(await status(80, get("/signed/in?state=right", host: host)) == 200)
        #expect(await status(80, get("/signed/in?state=right", host: "localhost:8080")) != 200)
        await waiting.end()
    }

    @Test func `a query arrives at the registered path, and nowhere else`() async throws {
        let waiting = try await Waiting("http://127.0.0.1/signed/in")
        let host = "127.0.0.1:\(waiting.port)"
        #expect(waiting.session.redirectURI == "http://\(host)/signed/in")
        #expect(await status(waiting.port, get("/?state=right", host: host)) == 404)
        #expect(await status(waiting.port, get("/signed/in/?state=right", host: host)) == 404)
        #expect(await status(waiting.port, get("/signed/in?state=right", host: host)) == 200)
        #expect(try await waiting.response.value.mode == .query)
        await waiting.end()
    }

    /// Requests that are refused, with their status; nil if only the connection is closed.
    static let hostile: [(String, @Sendable (String) -> String, Int?)] = [
        ("another host", { _ in get("/?state=right", host: "evil.example") }, 421),
        ("another port", { _ in get("/?state=right", host: "localhost:1") }, 421),
        ("the address for the name", { get("/?state=right", host: $0.replacing("localhost", with: "127.0.0.1")) }, 421),
        ("no host", { _ in "GET /?state=right HTTP/1.1\r\n\r\n" }, 421),
        ("two hosts", { "GET /?state=right HTTP/1.1\r\nHost: \($0)\r\nHost: \($0)\r\n\r\n" }, 421),
        ("another path", { get("/favicon.ico?state=right", host: $0) }, 404),
        ("a whole URL", { get("http://\($0)/?state=right", host: $0) }, 404),
        ("HEAD", { get("/?state=right", host: $0, method: "HEAD") }, 405),
        ("OPTIONS", { get("/?state=right", host: $0, method: "OPTIONS") }, 405),
        ("PUT", { get("/?state=right", host: $0, method: "PUT") }, 405),
        ("another state", { get("/?state=wrong&code=c", host: $0) }, 400),
        ("no state", { get("/", host: $0) }, 400),
        ("a form of another state", { post("/", host: $0, "state=wrong&code=c") }, 400),
        ("a form with a query", { post("/?state=right", host: $0, "state=right") }, 400),
        ("JSON", { post("/", host: $0, "state=right", type: "application/json") }, 415),
        ("a query with a body", { "GET /?state=right HTTP/1.1\r\nHost: \($0)\r\nContent-Length: 1\r\n\r\nx" }, 400),
        ("a megabyte", { post("/", host: $0, "state=right&x=" + String(repeating: "x", count: 1 << 20)) }, 413),
        ("a start URL that was not issued", { get("/start/AAAAAAAAAAAAAAAAAAAAAA", host: $0) }, 410),
        ("no HTTP", { _ in "\u{16}\u{3}\u{1}\u{2}\r\n\r\n" }, 400),
    ]

    @Test(arguments: hostile.indices) func `what is not expected is refused, and the wait goes on`(_ index: Int)
        async throws
    {
        let (_, request, expected) = Self.hostile[index]
        let waiting = try await Waiting()
        let received = await status(waiting.port, request(waiting.host))
        // After an early answer to a long request the rest may meet a closed connection, which loses the answer.
        #expect(received == expected || (expected == 413 && received == nil))
        #expect(await status(waiting.port, get("/?state=right&code=real", host: waiting.host)) == 200)
        #expect(try await parameters(waiting) == "state=right&code=real")
        await waiting.end()
    }

    @Test func `a form in pieces of unknown number is bounded`() async throws {
        let waiting = try await Waiting()
        let connection = try #require(RawConnection(port: waiting.port))
        connection.send(
            "POST / HTTP/1.1\r\nHost: \(waiting.host)\r\nContent-Type: application/x-www-form-urlencoded\r\n"
        )
        connection.send("Transfer-Encoding: chunked\r\n\r\n")
        // The last byte is one too many. Nothing follows it that could lose the answer.
        for _ in 0..<64 { connection.send("400\r\n" + String(repeating: "x", count: 1024) + "\r\n") }
        connection.send("1\r\nx\r\n")
        #expect(await connection.response().hasPrefix("HTTP/1.1 413 "))
        await waiting.end()
    }

    @Test func `a form that is announced as too large is refused before it comes`() async throws {
        let waiting = try await Waiting()
        let form = post("/", host: waiting.host, String(repeating: "x", count: 1 << 20))
        let head = try #require(form.components(separatedBy: "\r\n\r\n").first)
        #expect(await status(waiting.port, head + "\r\n\r\n") == 413)
        await waiting.end()
    }

    @Test func `a second response, and a late one, are refused`() async throws {
        let waiting = try await Waiting()
        #expect(await status(waiting.port, get("/?state=right&code=first", host: waiting.host)) == 200)
        #expect(await status(waiting.port, get("/?state=right&code=second", host: waiting.host)) == 400)
        #expect(try await parameters(waiting) == "state=right&code=first")
        await waiting.end()
        #expect(await status(waiting.port, get("/?state=right&code=late", host: waiting.host)) == nil)
    }

    @Test func `a response that comes before anyone waits is kept`() async throws {
        let session = try await LoopbackListener().listen(at: "http://localhost")
        let port = try #require(URLComponents(string: session.redirectURI)?.port)
        let early = try #require(RawConnection(port: port))
        early.send(get("/?state=right", host: "localhost:\(port)"))
        try await Task.sleep(for: .milliseconds(200))
        let response = try await session.response { _ in .completed }
        #expect(String(decoding: response.parameters, as: UTF8.self) == "state=right")
        #expect(await early.response().hasPrefix("HTTP/1.1 200 "))
        await session.close()
    }

    @Test func `no more than sixteen responses are kept until someone waits`() async throws {
        let session = try await LoopbackListener().listen(at: "http://localhost")
        let port = try #require(URLComponents(string: session.redirectURI)?.port)
        let kept = (0..<16).map { _ in RawConnection(port: port) }
        for connection in kept { connection?.send(get("/?state=wrong", host: "localhost:\(port)")) }
        try await Task.sleep(for: .milliseconds(200))
        #expect(await status(port, get("/?state=right", host: "localhost:\(port)")) == 400)
        await session.close()
    }

    @Test func `connections that say nothing keep nobody out`() async throws {
        let waiting = try await Waiting()
        let silent = (0..<200).map { _ in RawConnection(port: waiting.port) }
        for connection in silent { connection?.send("GET / HTTP/1.1\r\nHost: ") }
        #expect(await status(waiting.port, get("/?state=right", host: waiting.host)) == 200)
        // The oldest was closed for the newer ones, long before its time was over.
        let start = ContinuousClock.now
        #expect(await silent.first??.response() == "")
        #expect(start.duration(to: .now) < .seconds(5))
        await waiting.end()
    }

    @Test func `headers that do not end are given up after ten seconds`() async throws {
        let waiting = try await Waiting()
        let connection = try #require(RawConnection(port: waiting.port))
        let start = ContinuousClock.now
        connection.send("GET /?state=right HTTP/1.1\r\nHost: \(waiting.host)\r\n")
        #expect(await connection.response() == "")
        let duration = start.duration(to: .now)
        #expect(duration > .seconds(9) && duration < .seconds(20))
        await waiting.end()
    }

    @Test func `a start URL leads once to the server, and the last two are valid until one is used`() async throws {
        let waiting = try await Waiting()
        let target = "https://login.example/authorize?login_hint=ada%40contoso.example&state=s"
        func path(_ url: String) -> String { String(url.dropFirst("http://\(waiting.host)".count)) }
        let older = await waiting.session.startURL(for: target)
        let url = await waiting.session.startURL(for: target)
        #expect(
            url.hasPrefix("http://\(waiting.host)/start/") && url.count == "http://\(waiting.host)/start/".count + 22
        )
        #expect(older != url)
        let last = await waiting.session.startURL(for: target)
        #expect(await status(waiting.port, get(path(older), host: waiting.host)) == 410)
        #expect(await status(waiting.port, get(path(url), host: waiting.host, method: "HEAD")) == 405)
        #expect(await status(waiting.port, get(path(url), host: "evil.example")) == 421)
        let answer = await exchange(waiting.port, get(path(url), host: waiting.host))
        #expect(answer.hasPrefix("HTTP/1.1 303 "))
        #expect(answer.header("Location") == target)
        #expect(answer.header("Cache-Control") == "no-store")
        #expect(answer.header("Referrer-Policy") == "no-referrer")
        let again = await exchange(waiting.port, get(path(url), host: waiting.host))
        #expect(again.hasPrefix("HTTP/1.1 410 ") && !again.contains("login"))
        #expect(await status(waiting.port, get(path(last), host: waiting.host)) == 410)
        await waiting.end()
    }

    @Test func `pages have no scripts, and nothing is kept, framed or passed on`() async throws {
        let waiting = try await Waiting()
        for target in ["/?state=wrong", "/nowhere", "/start/x", "/?state=right"] {
            let answer = await exchange(waiting.port, get(target, host: waiting.host))
            #expect(answer.header("Cache-Control") == "no-store")
            #expect(answer.header("Referrer-Policy") == "no-referrer")
            #expect(answer.header("X-Frame-Options") == "DENY")
            #expect(answer.header("X-Content-Type-Options") == "nosniff")
            #expect(answer.header("Content-Security-Policy")?.hasPrefix("default-src 'none'") == true)
            #expect(answer.header("Access-Control-Allow-Origin") == nil)
            #expect(!answer.contains("<script") && !answer.contains("state="))
        }
        await waiting.end()
    }

    @Test func `a port that is taken is reported, and a free one found beside it`() async throws {
        let first = try await Waiting()
        let taken = "http://localhost:\(first.port)/back"
        await #expect {
            _ = try await LoopbackListener().listen(at: taken)
        } throws: { error in
            guard let error = error as? AcquisitionError else { return false }
            return error.code == .redirectUnavailable && "\(error)".contains("port \(first.port) is in use")
        }
        await first.end()
        // A connection that has just ended does not keep the port busy.
        let second = try await Waiting(taken)
        #expect(second.session.redirectURI == taken)
        await second.end()
    }

    @Test(arguments: [
        "https://localhost", "http://localhost.evil.example", "http://contoso.example", "http://0.0.0.0", "http://[::]",
        "http://localhost:0", "http://localhost:65536", "http://localhost?x", "http://localhost/#x",
        "http://a@localhost",
        "http://localhost/%41", "http://localhost/a b", "", "localhost", "http://127.0.0.2",
    ])
    func `a redirect URI that is not on this machine, or not plain, is refused`(_ uri: String) async {
        await #expect {
            _ = try await LoopbackListener().listen(at: uri)
        } throws: {
            ($0 as? AcquisitionError)?.code == .configurationRejected
        }
    }

    @Test func `a cancelled wait ends at once`() async throws {
        let waiting = try await Waiting()
        waiting.response.cancel()
        await #expect { try await waiting.response.value } throws: { ($0 as? AcquisitionError)?.code == .cancelled }
        await waiting.session.close()
    }

    @Test func `sessions at the same time have ports and responses of their own`() async throws {
        let (one, two) = (try await Waiting(), try await Waiting())
        #expect(one.port != two.port)
        #expect(await status(two.port, get("/?state=right&code=two", host: two.host)) == 200)
        #expect(await status(one.port, get("/?state=right&code=one", host: one.host)) == 200)
        #expect(try await parameters(one).hasSuffix("one"))
        #expect(try await parameters(two).hasSuffix("two"))
        await one.end()
        await two.end()
    }
}
