// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import TokenAcquisition

/// A browser that goes where it is sent, and posts to the redirect URI what a test says.
final class FakeBrowser: Browser, RedirectListener {
    typealias Script = @Sendable (_ query: [String: String]) -> [RedirectResponse]

    private struct State {
        var script: Script = { _ in [] }
        var error: AcquisitionError?
        var opened: [String] = []
        var authorizationURL = ""
        var verdicts: [RedirectVerdict] = []
        var closed = 0
        var isHeld = false
        var allowance = 0
        var isAwaited = false
        var opensWhenAwaited = false

        mutating func isWaiting() -> Bool {
            guard isHeld else { return false }
            guard allowance > 0 else { return true }
            allowance -= 1
            return false
        }
    }

    private let state = Mutex(State())

    var opened: [String] { state.withLock { $0.opened } }
    var authorizationURL: String { state.withLock { $0.authorizationURL } }
    var verdicts: [RedirectVerdict] { state.withLock { $0.verdicts } }
    var closed: Int { state.withLock { $0.closed } }

    /// The query of the authorization URL, decoded.
    var query: [String: String] {
        let items = URLComponents(string: authorizationURL.replacing("+", with: "%20"))?.queryItems ?? []
        return Dictionary(items.map { ($0.name, $0.value ?? "") }) { first, _ in first + " (twice)" }
    }

    func answer(_ script: @escaping Script) { state.withLock { $0.script = script } }

    /// Keeps the user from answering.
    func hold() { state.withLock { $0.isHeld = true } }

    /// Opens a page only when somebody waits for what comes from it.
    func openWhenAwaited() { state.withLock { $0.opensWhenAwaited = true } }

    /// Lets the user answer once; in further windows the user does not.
    func proceedOnce() { state.withLock { $0.allowance += 1 } }

    /// Lets the user answer.
    func proceed() { state.withLock { $0.isHeld = false } }

    func fail(_ error: AcquisitionError) { state.withLock { $0.error = error } }

    func open(_ url: String) async throws(AcquisitionError) {
        let error = state.withLock { state in
            state.opened.append(url)
            return state.error
        }
        if let error { throw error }
        for _ in 0..<2000 where state.withLock({ $0.opensWhenAwaited && !$0.isAwaited }) {
            do { try await Task.sleep(for: .milliseconds(5)) } catch { throw AcquisitionError(.cancelled) }
        }
        if state.withLock({ $0.opensWhenAwaited && !$0.isAwaited }) { throw AcquisitionError(.timeout) }
    }

    func listen(at redirectURI: String) async throws(AcquisitionError) -> any RedirectSession {
        Session(browser: self, pagesBefore: opened.count)
    }

    private struct Session: RedirectSession {
        let browser: FakeBrowser
        /// How many pages were open before this request's.
        let pagesBefore: Int
        let redirectURI = "http://localhost:49152"

        func startURL(for authorizationURL: String) async -> String {
            browser.state.withLock { $0.authorizationURL = authorizationURL }
            return "http://localhost:49152/start"
        }

        func response(
            judging judge: @escaping @Sendable (RedirectResponse) -> RedirectVerdict
        ) async throws(AcquisitionError) -> RedirectResponse {
            browser.state.withLock { $0.isAwaited = true }
            while browser.state.withLock({ $0.opened.count == pagesBefore || $0.isWaiting() }) {
                do { try await Task.sleep(for: .milliseconds(5)) } catch { throw AcquisitionError(.cancelled) }
            }
            let script = browser.state.withLock { $0.script }
            for response in script(browser.query) {
                let verdict = judge(response)
                browser.state.withLock { $0.verdicts.append(verdict) }
                if verdict != .foreign { return response }
            }
            do { try await Task.sleep(for: .seconds(60)) } catch {}
            throw AcquisitionError(.cancelled)
        }

        func close() async { browser.state.withLock { $0.closed += 1 } }
    }
}

/// A response with these parameters, encoded.
func redirect(_ mode: ResponseMode, _ parameters: [String: String]) -> RedirectResponse {
    let fields = parameters.map { name, value in
        "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")"
    }
    return RedirectResponse(mode: mode, parameters: Array(fields.joined(separator: "&").utf8))
}
