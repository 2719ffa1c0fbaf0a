// SPDX-License-Identifier: Apache-2.0

import Testing
import TokenAcquisition

@Suite struct ExchangeTests {
    @Test(arguments: [HostileServer.plain, .tls], ["localhost", "127.0.0.1"])
    func `a form arrives as it was given`(server: HostileServer, host: String) async throws {
        let transport = HTTPTransport.trusting()
        let response = try await transport.post(server.url("/echo/a%20b?c=d&e", host: host))
        let received = try Received(response)
        #expect(response.status == 200 && response.header("content-type") == "application/json")
        #expect(received.method == "POST" && received.path == "/echo/a%20b?c=d&e")
        #expect(received.body == "refresh_token=canary" && received.values("content-length") == ["20"])
        #expect(received.values("connection") == ["close"] && received.values("host") == ["\(host):\(server.port)"])
        #expect(received.values("transfer-encoding").isEmpty && received.values("accept-encoding").isEmpty)
        #expect(Set(received.headers.map { $0[0] }) == ["content-type", "content-length", "connection", "host"])
        await transport.close()
    }

    @Test func `a request without a body has none`() async throws {
        let transport = HTTPTransport.trusting()
        let received = try Received(
            await transport.send(TransportRequest(method: .get, url: HostileServer.tls.url("/echo")))
        )
        #expect(received.method == "GET" && received.body.isEmpty && received.values("content-length").isEmpty)
        await transport.close()
    }

    @Test func `a redirect is a response, and is not followed`() async throws {
        let transport = HTTPTransport.trusting()
        let tag = "/" + uniqueTag()
        let response = try await transport.post(HostileServer.tls.url("/redirect" + tag))
        #expect(response.status == 307 && response.header("Location") == "/echo" + tag)
        #expect(try await HostileServer.count("/redirect" + tag) == 1)
        #expect(try await HostileServer.count("/echo" + tag) == 0)
        await transport.close()
    }

    @Test func `a cookie is not sent back`() async throws {
        let transport = HTTPTransport.trusting()
        _ = try await transport.post(HostileServer.tls.url("/cookie"))
        let received = try Received(await transport.post(HostileServer.tls.url("/echo")))
        #expect(received.values("cookie").isEmpty)
        await transport.close()
    }

    @Test(
        arguments: [
            ("/packed", 200, [0x1F, 0x8B, 0x08, 0x00]), ("/proceed", 200, Array("done".utf8)),
            ("/until-end", 200, Array("all of it".utf8)), ("/unavailable", 503, Array("later".utf8)),
            ("/early", 200, Array("kept".utf8)),
        ] as [(String, Int, [UInt8])]
    )
    func `a response is returned as the server sent it`(path: String, status: Int, body: [UInt8]) async throws {
        let transport = HTTPTransport.trusting()
        let response = try await transport.post(HostileServer.tls.url(path))
        #expect(response.status == status && response.body == body)
        await transport.close()
    }

    @Test func `twenty requests at once have twenty responses`() async throws {
        let transport = HTTPTransport.trusting()
        let paths = try await withThrowingTaskGroup(of: String.self) { group in
            for number in 0..<20 {
                group.addTask { try Received(await transport.post(HostileServer.tls.url("/echo/\(number)"))).path }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(paths == Set((0..<20).map { "/echo/\($0)" }))
        await transport.close()
    }

    @Test(arguments: [
        "http://idp.example/", "http://10.0.0.1/", "ftp://localhost/", "localhost", "", "https://canary@localhost/",
        "http+unix://%2Ftmp%2Fsocket/", "https://localhost/#canary",
    ])
    func `a URL to which no secret may go is refused`(url: String) async {
        let transport = HTTPTransport.trusting()
        #expect(await transport.failure(of: url) == TransportError(.urlRejected, mayHaveBeenSent: false))
        await transport.close()
    }

    @Test func `a header field with a line break is refused`() async {
        let transport = HTTPTransport.trusting()
        let request = TransportRequest(
            method: .get,
            url: HostileServer.tls.url("/echo"),
            headers: [.init("X-Name", "a\r\nX-Other: b")]
        )
        await #expect(throws: TransportError(.headerRejected, mayHaveBeenSent: false)) {
            try await transport.send(request)
        }
        await transport.close()
    }
}
