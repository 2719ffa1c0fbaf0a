// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CacheAdministration
import TokenAcquisition
import TokenCaching
import ToolInterface

/// `cachetool sign-out` with a request to the authority.
struct SignOutCommand: NetworkCommand {
    static let configuration = SignInCommands.signOut

    @Argument(
        help: ArgumentHelp("A home account id, or its beginning, or a username.", valueName: "account"),
        completion: NameCompletion.accounts
    )
    var account: String

    @OptionGroup(title: "Sign-out options") var options: SignOutOptions
    @OptionGroup(title: "Group options") var group: GroupOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func perform(in session: Session, _ services: Services) async throws {
        if options.browser, output.noPrompt {
            throw CommandFailure(.usage, "The page that --browser opens may require interaction. Omit --no-prompt.")
        }
        let opened = try session.open(.readWrite)
        defer { opened.close() }
        let dialogue = try SignOutDialogue(account, options: options, in: opened, session: session)
        let cache = dialogue.cache
        let authority =
            if let url = options.authority { try Authority(url) } else {
                try await RequestWords.authority(of: dialogue.account, in: cache)
            }
        var configuration = ClientConfiguration(clientID: cache.clientID, authority: authority)
        if let uri = options.redirectURI { configuration.redirectURI = uri }
        let client = try PublicClient(configuration, cache: cache, services: services)
        var request = SignOutRequest()
        request.revokesTokens = options.revoke
        request.endsBrowserSession = options.browser
        let account = dialogue.account
        let report = try await interruptible(client) { [request] client in
            try await client.signOut(account, with: request)
        }
        dialogue.report(to: session) { json in
            json.member("revocation", Self.name(report.revocation))
            json.member("browser_session", Self.name(report.browserSession))
        }
        if !session.usesJSON {
            if report.revocation == .done { session.console.remark("Its refresh tokens were revoked.") }
            if report.revocation == .nothingToDo {
                session.console.remark(
                    "No refresh token was revoked: this app has none of its own from that authority."
                )
            }
            if report.browserSession == .done { session.console.remark("The session in the browser has ended.") }
        }
        let problems = [
            Self.problem(report.revocation, "Its refresh tokens were not revoked"),
            Self.problem(report.browserSession, "The session in the browser may continue"),
        ].compactMap(\.self)
        if !problems.isEmpty { throw CommandFailure(.partial, problems.joined(separator: " ")) }
    }

    private static func name(_ outcome: SignOutReport.Outcome) -> String {
        switch outcome {
        case .notAsked: "not_asked"
        case .done: "done"
        case .nothingToDo: "nothing_to_do"
        case .notSupported: "not_supported"
        case .failed: "failed"
        // A newer library may have more outcomes than this program knows.
        @unknown default: "unknown"
        }
    }

    private static func problem(_ outcome: SignOutReport.Outcome, _ what: String) -> String? {
        switch outcome {
        case .notSupported: what + ": the authority does not offer that."
        case .failed(let error) where error.code == .browserMissing:
            // The error's own advice is for signing in.
            what + ": no browser could be opened. Sign out on the authority's own pages."
        case .failed(let error): what + ". \(error)"
        default: nil
        }
    }
}
