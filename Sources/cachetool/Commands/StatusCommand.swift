// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CacheAdministration
import TokenCaching
import ToolInterface

/// `cachetool status`
struct StatusCommand: GroupCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show which accounts are signed in to which apps, and until when, in all groups.",
        discussion: """
            For each group and account: its tenants, and for each app how long its access token is valid, whether it \
            can be renewed without the user, and if not, why. Shows what prevents a group from being opened. Contacts \
            no server and does not prompt. With --group, shows only that group.

            The exit status is 3 if no account is signed in, or that of a group that cannot be opened if no account is \
            signed in to another group.

            EXAMPLES:
              cachetool status
              cachetool status --json | jq '.groups[].accounts[].username'
            """
    )

    @OptionGroup(title: "Group options") var group: GroupOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    private struct Look {
        let group: GroupSummary
        let result: Result<SignInCensus, TokenCacheError>

        var census: SignInCensus? { try? result.get() }
        var problem: TokenCacheError? { if case .failure(let error) = result { error } else { nil } }
    }

    func perform(in session: Session) throws {
        var groups = try CacheGroup.list(root: session.root).filter { $0.state != .empty && $0.state != .creating }
        if let name = session.typedGroupName {
            groups = groups.filter { $0.name == name }
            if groups.isEmpty { throw session.explained(TokenCacheError(.notFound)) }
        }
        var profiles: [Profile] = []
        do throws(CommandFailure) {
            if ProfileFile.place != nil { profiles = try ProfileFile.read().profiles(in: session.root) }
        } catch {
            session.console.warn("profiles are not shown. \(error.message)")
        }
        let progress = ProgressLine("Checking", of: ("account", "accounts"), on: session.console)
        let looks = try groups.map { Look(group: $0, result: try look(at: $0, profiles, session, progress)) }
        progress.finish()
        let isAnybodySignedIn = looks.contains { $0.census?.isAnybodySignedIn == true }
        if session.usesJSON {
            write(looks, isAnybodySignedIn: isAnybodySignedIn, in: session)
        } else if looks.isEmpty {
            session.console.remark("No account is signed in: there is no group under \(session.shownRoot).")
        } else {
            for look in looks { show(look, session) }
        }
        if isAnybodySignedIn { return }
        throw CommandFailure.silent(looks.lazy.compactMap(\.problem).first.map { ExitStatus($0.code) } ?? .notFound)
    }

    private func look(
        at group: GroupSummary,
        _ profiles: [Profile],
        _ session: Session,
        _ progress: ProgressLine
    ) throws -> Result<SignInCensus, TokenCacheError> {
        do {
            let opened = try session.openQuietly(group.name)
            defer { opened.close() }
            var census = try SignInCensus(of: opened, now: Timestamp(secondsSince1970: session.console.now), progress)
            census.note(profiles.filter { $0.group == group.name })
            return .success(census)
        } catch let error as TokenCacheError where error.code != .cancelled {
            return .failure(error)
        }
    }

    private func show(_ look: Look, _ session: Session) {
        let console = session.console
        let place = look.group.storage.shownPlace(folder: look.group.path)
        console.write(line: "\(look.group.name)  " + VisibleText.escaped(place))
        switch look.result {
        case .success(let census) where census.rows.isEmpty: console.write(line: "  no account")
        case .success(let census): census.write(to: console)
        case .failure(let error):
            let text = "cannot be opened: " + VisibleText.escaped(explained(error, of: look, in: session))
            console.write(line: "  " + WrappedText.text(text, width: console.columns, indent: 2), .bad)
        }
    }

    private func explained(_ error: TokenCacheError, of look: Look, in session: Session) -> String {
        session.advised(group: look.group.name).completed(error.description)
    }

    private func write(_ looks: [Look], isAnybodySignedIn: Bool, in session: Session) {
        let json = JSONWriter(session.console.output)
        json.document {
            json.member("signed_in", isAnybodySignedIn)
            json.array("groups") {
                for look in looks {
                    json.objectElement {
                        json.member("name", look.group.name)
                        json.member("storage", look.group.storage.rawValue)
                        json.member("path", look.group.path)
                        json.member("problem", look.problem.map { explained($0, of: look, in: session) })
                        json.array("accounts") { look.census?.write(json) }
                    }
                }
            }
        }
    }
}
