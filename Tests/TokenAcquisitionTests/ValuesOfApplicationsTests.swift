// SPDX-License-Identifier: Apache-2.0

import Testing
import TokenAcquisition
import TokenCaching

/// What the library passes to an application's closures, brokers and views, made by the application itself, as it does
/// in its own tests.
@Suite struct ValuesOfApplicationsTests {
    @Test func `a prompt without instructions of a server has a sentence with the address and the code`() {
        let prompt = DeviceCodePrompt(
            userCode: "ABCD-EFGH",
            verificationURI: "https://a.example/login",
            verificationHost: "a.example",
            expiresOn: Timestamp(secondsSince1970: 1_700_000_900)
        )
        #expect(prompt.message == "To sign in, open https://a.example/login and enter the code ABCD-EFGH.")
        #expect(prompt.verificationURIComplete == nil)
    }

    @Test func `a request for a broker is one for a bearer token unless it says otherwise`() throws {
        let account = try Contoso().signIn()
        let request = BrokerRequest(clientID: "client", authority: .common, scopes: ["User.Read"], account: account)
        #expect(request.account == account && request.scopes == ["User.Read"])
        #expect(!request.forceRefresh && request.claims == nil && request.tokenRequestParameters.isEmpty)
        #expect(request.timeout == .seconds(60))
    }

    @Test func `an event of a later version's kind shows its name`() {
        let event = AcquisitionEvent(kind: .init(name: "later"), status: 503, errorCode: .serverUnavailable)
        #expect("\(event)".hasPrefix("later 503 failed: serverUnavailable"))
        #expect(event.kind != .request && AcquisitionEvent.Kind(name: "request") == .request)
    }

    @Test func `an error has what it was created with, and the claims and the delay of the response`() {
        var response = TokenErrorResponse(error: "interaction_required")
        response.claims = #"{"access_token":{}}"#
        response.retryAfter = .seconds(7)
        let error = AcquisitionError(.interactionRequired, reason: .renewalRefused, errorResponse: response)
        #expect(error.reason == .renewalRefused && error.claimsToRequest?.json == response.claims)
        #expect(error.retryAfter == .seconds(7))
        #expect(error.advice == "Let the user sign in. Wait 7 seconds.")
        #expect(error.description.hasSuffix(error.advice) && error.detail == nil)

        let declined = AcquisitionError(.scopesDeclined, grantedScopes: ["a"], declinedScopes: ["b"])
        #expect(declined.grantedScopes == ["a"] && declined.declinedScopes == ["b"])
        let cacheError = TokenCacheError(.damaged)
        #expect(AcquisitionError(.cacheFailed, cacheError: cacheError).cacheError == cacheError)
        let transportError = TransportError(.timeout, mayHaveBeenSent: true)
        let failed = AcquisitionError(.networkFailed, transportError: transportError, underlying: CancellationError())
        #expect(failed.transportError == transportError && failed.underlying is CancellationError)
        #expect(failed == AcquisitionError(.networkFailed, transportError: transportError))
    }

    @Test func `a report of a sign-out names only the steps that were requested`() {
        let report = SignOutReport(revocation: .failed(AcquisitionError(.networkFailed)))
        #expect(report.browserSession == .notAsked)
        #expect(report != SignOutReport())
    }
}
