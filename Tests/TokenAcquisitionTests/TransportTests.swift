// SPDX-License-Identifier: Apache-2.0

import Testing
import TokenAcquisition

@Suite struct TransportTests {
    @Test func `a request shows neither its URL, its headers nor its body`() {
        let request = TransportRequest(
            method: .post,
            url: "https://idp.example/canary-1",
            headers: [.init("Authorization", "canary-2")],
            body: Array("refresh_token=canary-3".utf8)
        )
        var shown = String(describing: request) + String(reflecting: request)
        dump(request, to: &shown)
        #expect(!shown.contains("canary"))
    }

    @Test func `a response shows neither its headers nor its body`() {
        let response = TransportResponse(
            status: 200,
            headers: [.init("Location", "canary-1")],
            body: Array("canary-2".utf8)
        )
        var shown = String(describing: response) + String(reflecting: response)
        dump(response, to: &shown)
        #expect(!shown.contains("canary"))
    }

    @Test func `the error of an application's HTTP stack is kept, and neither shown nor compared`() {
        struct Failure: Error, Equatable { let url = "https://idp.example/canary" }
        let error = TransportError(.connectionFailed, mayHaveBeenSent: false, underlying: Failure())
        #expect(error.underlying as? Failure == Failure())
        #expect(error == TransportError(.connectionFailed, mayHaveBeenSent: false))
        #expect(error != TransportError(.connectionFailed, mayHaveBeenSent: true))
        var shown = String(describing: error) + String(reflecting: error)
        dump(error, to: &shown)
        #expect(!shown.contains("canary") && shown.contains("connectionFailed"))
    }

    @Test func `a header is found in any case`() {
        let response = TransportResponse(status: 429, headers: [.init("retry-after", "7")])
        #expect(response.header("Retry-After") == "7")
        #expect(response.header("Date") == nil)
    }
}
