// SPDX-License-Identifier: Apache-2.0

import Testing
import TokenAcquisition

@Suite struct ProxyTests {
    // A name of no server: only the proxies know where it leads.
    private let url = "https://idp.test:4443/echo"

    private func through(_ server: HostileServer, scheme: String = "http", credentials: String = "") -> HTTPTransport {
        .trusting(["HTTPS_PROXY": "\(scheme)://\(credentials)127.0.0.1:\(server.port)"])
    }

    @Test func `a proxy connects, and sees only where to`() async throws {
        let before = try await HostileServer.count("/CONNECT/idp.test:4443")
        let transport = through(.proxy)
        let received = try Received(await transport.post(url))
        #expect(received.body == "refresh_token=canary" && received.values("host") == ["idp.test:4443"])
        #expect(received.values("proxy-authorization").isEmpty)
        #expect(try await HostileServer.count("/CONNECT/idp.test:4443") > before)
        await transport.close()
    }

    @Test func `a SOCKS proxy is told the name`() async throws {
        let transport = through(.socks, scheme: "socks5h")
        #expect(try Received(await transport.post(url)).body == "refresh_token=canary")
        #expect(try await HostileServer.count("/SOCKS/idp.test:4443") == 1)
        await transport.close()
    }

    @Test func `credentials go to the proxy alone`() async throws {
        let transport = through(.guardedProxy, credentials: "canary%40x:canary%3Ay@")
        #expect(try Received(await transport.post(url)).values("proxy-authorization").isEmpty)
        await transport.close()
    }

    @Test(arguments: [HostileServer.guardedProxy, .badGateway, .garbledProxy, .refused, .mute])
    func `a proxy that does not connect is an error, and nothing was sent`(server: HostileServer) async {
        let transport = through(server)
        let failure = await transport.failure(of: url, timeout: .seconds(2))
        #expect(failure == TransportError(server == .mute ? .timeout : .proxyUnreachable, mayHaveBeenSent: false))
        await transport.close()
    }

    @Test func `a certificate for another name is refused behind a proxy, too`() async {
        let transport = through(.proxy)
        let failure = await transport.failure(of: "https://other.test/echo")
        #expect(failure == TransportError(.certificateOfOtherHost, mayHaveBeenSent: false))
        await transport.close()
    }

    @Test func `a certificate for the address of the proxy is none for a host`() async throws {
        // The server behind the proxy shows a certificate for 127.0.0.1, which is where the proxy is.
        let transport = through(.socks, scheme: "socks5")
        let failure = await transport.failure(of: "https://victim.test/echo/victim")
        #expect(failure == TransportError(.certificateOfOtherHost, mayHaveBeenSent: false))
        #expect(try await HostileServer.count("/echo/victim") == 0)
        await transport.close()
    }

    @Test func `a server that is an address is not reached through a proxy`() async {
        let transport = through(.proxy)
        let failure = await transport.failure(of: "https://192.0.2.1/echo")
        #expect(failure == TransportError(.proxyRejected, mayHaveBeenSent: false))
        await transport.close()
    }

    @Test func `a proxy whose name is unknown is told, not the server`() async {
        let transport = HTTPTransport.trusting(["HTTPS_PROXY": "http://\(unresolvableName):1"])
        #expect(await transport.failure(of: url) == TransportError(.proxyUnreachable, mayHaveBeenSent: false))
        await transport.close()
    }

    @Test func `a proxy that cannot be used is told, and nothing is sent`() async {
        let transport = HTTPTransport.trusting(["HTTPS_PROXY": "https://canary:canary@127.0.0.1:1"])
        #expect(await transport.failure(of: url) == TransportError(.proxyRejected, mayHaveBeenSent: false))
        await transport.close()
    }

    @Test func `a loopback host is asked directly`() async throws {
        let transport = through(.refused)
        #expect(try await transport.post(HostileServer.tls.url("/echo")).status == 200)
        await transport.close()
    }

    @Test func `a host of NO_PROXY is asked directly`() async {
        let transport = HTTPTransport.trusting([
            "ALL_PROXY": "http://127.0.0.1:\(HostileServer.proxy.port)", "NO_PROXY": "test",
        ])
        #expect(await transport.failure(of: "https://\(unresolvableName)/")?.code == .hostNotFound)
        await transport.close()
    }
}
