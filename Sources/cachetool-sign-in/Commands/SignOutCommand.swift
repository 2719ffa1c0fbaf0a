// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CacheAdministration
import TokenAcquisition
import TokenCaching
import ToolInterface

/// `cachetool sign-out` with a request to the authority.
struct SignOutCommand: NetworkCommand {
    static let configuration = SignInCommands.signOut

    @OptionGroup(title: "Sign-out options") var options: SignOutOptions
    @OptionGroup(title: "Group options") var group: GroupOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func perform(in session: Session, _ services: Services) async throws {
        if options.browser, output.noPrompt {
            throw CommandFailure(.usage, "The page that --browser opens may require interaction. Omit --no-prompt.")
        }
        let opened = try session.open(.readWrite)
        defer { opened.close() }
        let dialogue = try SignOutDialogue(options, in: opened, session: session)
        let cache = dialogue.cache
        let authority =
            if let url = options.authority {
                try RequestWords.authority(url, options.endpoints)
            } else if !dialogue.account.isSignedIn, let pending = dialogue.pendingRevocations.first {
                // What else says it may be removed by now.
                try RequestWords.authority(pending.authority, options.endpoints)
            } else {
                try await RequestWords.authority(of: dialogue.account, options.endpoints, in: cache)
            }
        var configuration = ClientConfiguration(clientID: cache.clientID, authority: authority)
        if let uri = options.redirectURI { configuration.redirectURI = uri }
        configuration.credential = try options.credential.credential(beside: group.keys)
        var request = SignOutRequest()
        request.revokesTokens = options.revoke
        request.endsBrowserSession = options.browser
        var services = services
        services.browser = services.browser.map {
            AnnouncedBrowser(browser: $0, timeout: request.timeout, isQuiet: session.console.isQuiet)
        }
        let client = try PublicClient(configuration, cache: cache, services: services)
        let account = dialogue.account
        let report = try await interruptible(client) { [request] client in
            try await client.signOut(account, with: request)
        }
        let forgotten = options.forget ? try dialogue.forgetRevocations() : nil
        dialogue.report(to: session, forgottenCount: forgotten) { json in
            json.member("revocation", report.revocation.shownName)
            json.member("revoked_tokens", report.revokedCount)
            json.member("unrevoked_tokens", report.unrevokedCount)
            json.member("browser_session", report.browserSession.shownName)
            json.member("pending_revocations", report.pendingRevocations.count)
            json.member("pending_until", report.pendingRevocations.first?.expiresOn.secondsSince1970)
            json.member("discarded_revocations", report.discardedRevocationCount)
        }
        if report.discardedRevocationCount > 0 {
            session.console.warn(
                "no more than 16 revocations are kept: the oldest pending "
                    + (report.discardedRevocationCount == 1
                        ? "one was removed, and its refresh token stays valid at its authority."
                        : "\(report.discardedRevocationCount) were removed, and their refresh tokens stay valid at their authorities.")
            )
        }
        if !session.usesJSON {
            if report.revocation == .done { session.console.remark("Its refresh tokens in the group were revoked.") }
            if report.revocation == .nothingToDo {
                session.console.remark(
                    "No refresh token was revoked: this app has none of its own from that authority."
                )
            }
            if report.browserSession == .done { session.console.remark("The session in the browser has ended.") }
        }
        let problems = [
            Self.problem(report.revocation, Self.problem(ofRevocation: report)),
            advice(report, now: session.console.now),
            Self.problem(ofBrowser: report.browserSession),
        ].compactMap(\.self)
        if !problems.isEmpty { throw CommandFailure(.partial, problems.joined(separator: " ")) }
    }

    /// Where the tokens are that were not revoked, and what to do.
    private func advice(_ report: SignOutReport, now: Int64) -> String? {
        guard case .failed(let error) = report.revocation else { return nil }
        guard let first = report.pendingRevocations.first else {
            return "No refresh token is kept to try again: what was not revoked stays valid at its authority."
        }
        let time = HumanTime.full(first.expiresOn.secondsSince1970, now: now)
        // The doctor takes no hosts of endpoints.
        let doctor = options.endpoints.endpointHost.isEmpty ? ", or run cachetool doctor --revoke-pending" : ""
        return "Until \(time) they are kept, sealed, to try again: repeat this command"
            + (error.endpointHost == nil ? doctor : " with that option")
            + ". With --forget in place of --revoke, it removes them."
    }

    private static func problem(ofRevocation report: SignOutReport) -> String {
        let (done, all) = (report.revokedCount, report.revokedCount + report.unrevokedCount)
        if done > 0, done < all {
            return "Of its \(all) refresh tokens, \(done) \(done == 1 ? "was" : "were") revoked"
        }
        if report.revocation == .notSupported { return "Its refresh tokens were not revoked" }
        return report.revocation.mayBeDone
            ? "Its refresh tokens may not have been revoked" : "Not all of its refresh tokens were revoked"
    }

    private static func problem(ofBrowser outcome: SignOutReport.Outcome) -> String? {
        let what = "The session in the browser may continue"
        if case .failed(let error) = outcome, error.code == .timeout {
            return what + ": nothing came back from the browser. Sign out on the authority's own pages."
        }
        return problem(outcome, what)
    }

    private static func problem(_ outcome: SignOutReport.Outcome, _ what: String) -> String? {
        switch outcome {
        case .notSupported: what + ": the authority does not offer that."
        case .failed(let error) where error.code == .browserMissing:
            // The error's own advice is for signing in.
            what + ": no browser could be opened. Sign out on the authority's own pages."
        case .failed(let error): what + ". \(error.descriptionWithOption)"
        default: nil
        }
    }
}

extension SignOutReport.Outcome {
    /// Whether the request may have reached the authority, so that a failure does not say what became of it there.
    var mayBeDone: Bool {
        if case .failed(let error) = self { error.transportError?.mayHaveBeenSent == true } else { false }
    }

    /// The name in JSON documents.
    var shownName: String {
        switch self {
        case .notAsked: "not_asked"
        case .done: "done"
        case .nothingToDo: "nothing_to_do"
        case .notSupported: "not_supported"
        case .failed: "failed"
        // A newer library may have more outcomes than this program knows.
        @unknown default: "unknown"
        }
    }
}
