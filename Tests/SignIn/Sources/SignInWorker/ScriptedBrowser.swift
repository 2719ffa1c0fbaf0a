// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import TokenAcquisition

/// A browser whose user answers when the provider's test says so: it asks for the authorization URL, and returns where the
/// provider redirects it.
final class ScriptedBrowser: Browser, RedirectListener, RedirectSession {
    let redirectURI = "http://127.0.0.1:1/"
    private let transport: any Transport
    private let page = Mutex("")

    init(_ transport: any Transport) {
        self.transport = transport
    }

    func listen(at redirectURI: String) async throws(AcquisitionError) -> any RedirectSession {
        page.withLock { $0 = "" }
        return self
    }

    func startURL(for authorizationURL: String) async -> String {
        page.withLock { $0 = authorizationURL }
        return redirectURI
    }

    func open(_ url: String) async throws(AcquisitionError) {
        Output.report("window")
    }

    func response(
        judging judge: @escaping @Sendable (RedirectResponse) -> RedirectVerdict
    ) async throws(AcquisitionError) -> RedirectResponse {
        // The wait begins before the browser is opened.
        while page.withLock({ $0.isEmpty }) {
            do { try await Task.sleep(for: .milliseconds(5)) } catch { throw AcquisitionError(.cancelled) }
        }
        let request = TransportRequest(
            method: .get,
            url: page.withLock { $0 },
            headers: [],
            body: [],
            timeout: .seconds(60)
        )
        do {
            let response = try await transport.send(request)
            let query = response.header("Location")?.split(separator: "?", maxSplits: 1).last ?? ""
            let redirected = RedirectResponse(mode: .query, parameters: Array(query.utf8))
            if judge(redirected) != .foreign { return redirected }
        } catch {}
        throw AcquisitionError(.cancelled)
    }

    func close() async {}
}
