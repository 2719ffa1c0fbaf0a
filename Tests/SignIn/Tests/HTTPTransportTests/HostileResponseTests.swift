// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import TokenAcquisition

@Suite struct HostileResponseTests {
    @Test(
        arguments: [
            ("/silence", .connectionClosed), ("/reset", .connectionClosed), ("/torn", .connectionClosed),
            ("/torn-chunk", .connectionClosed), ("/torn-head", .connectionClosed), ("/foreign", .malformedResponse),
            ("/garbled-chunk", .malformedResponse), ("/two-lengths", .malformedResponse),
            ("/endless-head", .malformedResponse), ("/large", .responseTooLarge), ("/endless", .responseTooLarge),
        ] as [(String, TransportError.Code)],
        [HostileServer.plain, .tls]
    )
    func `what is no response is an error, after which the request may have arrived`(
        answer: (path: String, code: TransportError.Code),
        server: HostileServer
    ) async throws {
        let transport = HTTPTransport.trusting()
        let path = "\(answer.path)/\(uniqueTag())"
        #expect(await transport.failure(of: server.url(path)) == TransportError(answer.code, mayHaveBeenSent: true))
        // A request that may have arrived is not sent again.
        #expect(try await HostileServer.count(path) == 1)
        await transport.close()
    }

    @Test(arguments: ["/never", "/drip", "/dripping-head"], [HostileServer.plain, .tls])
    func `a response that does not end in time is given up`(path: String, server: HostileServer) async {
        let transport = HTTPTransport.trusting()
        let failure = await transport.failure(of: server.url(path), timeout: .milliseconds(1500))
        #expect(failure == TransportError(.timeout, mayHaveBeenSent: true))
        await transport.close()
    }

    @Test func `a body of exactly the largest size is taken`() async throws {
        let transport = HTTPTransport.trusting()
        #expect(try await transport.post(HostileServer.tls.url("/until-end"), limit: 9).body.count == 9)
        let failure = await transport.failure(of: HostileServer.tls.url("/until-end"), limit: 8)
        #expect(failure == TransportError(.responseTooLarge, mayHaveBeenSent: true))
        await transport.close()
    }

    @Test func `a body that ends with a connection which TLS did not end may have been cut off`() async {
        let transport = HTTPTransport.trusting()
        let failure = await transport.failure(of: HostileServer.tls.url("/cut-off"))
        #expect(failure == TransportError(.connectionClosed, mayHaveBeenSent: true))
        await transport.close()
    }

    @Test func `without a connection nothing was sent`() async {
        let transport = HTTPTransport.trusting()
        #expect(
            await transport.failure(of: HostileServer.refused.url("/"))
                == TransportError(.connectionFailed, mayHaveBeenSent: false)
        )
        #expect(
            await transport.failure(of: HostileServer.mute.url("/"), timeout: .seconds(1))
                == TransportError(.timeout, mayHaveBeenSent: false)
        )
        #expect(
            await transport.failure(of: "https://\(unresolvableName)/")
                == TransportError(.hostNotFound, mayHaveBeenSent: false)
        )
        await transport.close()
    }

    @Test(
        arguments: [
            (HostileServer.otherName, TransportError.Code.certificateOfOtherHost, "another host: it names "),
            (.expired, .certificateRejected, "expired on 20"),
            (.foreign, .certificateRejected, "leads to no root certificate"),
            (.outdated, .tlsFailed, "TLS 1.2"),
        ]
    )
    func `a server that cannot show who it is gets nothing, and the error says why`(
        server: HostileServer,
        reason: TransportError.Code,
        text: String
    ) async throws {
        let transport = HTTPTransport.trusting()
        let path = "/echo/\(uniqueTag())"
        let error = await transport.failure(of: server.url(path))
        #expect(error == TransportError(reason, mayHaveBeenSent: false))
        #expect(error?.advice?.contains(text) == true, "\(error?.advice ?? "")")
        #expect(try await HostileServer.count(path) == 0)
        await transport.close()
    }

    @Test func `only roots that are given are trusted`() async throws {
        let untrusting = HTTPTransport(environment: [:])
        #expect(await untrusting.failure(of: HostileServer.tls.url("/echo"))?.code == .certificateRejected)
        let replacing = HTTPTransport(environment: ["SSL_CERT_FILE": HostileServer.roots])
        #expect(try await replacing.post(HostileServer.tls.url("/echo")).status == 200)
        for transport in [untrusting, replacing] { await transport.close() }
    }

    @Test(arguments: ["/missing/roots.pem", HostileServer.noRoots])
    func `roots that cannot be read are told, and nothing is sent`(file: String) async {
        let unreadable = TransportError(.rootsUnreadable, mayHaveBeenSent: false)
        let replacing = HTTPTransport(environment: ["SSL_CERT_FILE": file])
        #expect(await replacing.failure(of: HostileServer.tls.url("/echo")) == unreadable)
        let adding = HTTPTransport(environment: [:], additionalRootFiles: [HostileServer.roots, file])
        #expect(await adding.failure(of: HostileServer.tls.url("/echo")) == unreadable)
        for transport in [replacing, adding] { await transport.close() }
    }
}
