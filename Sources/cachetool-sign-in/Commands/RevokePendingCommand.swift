// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CacheAdministration
import TokenAcquisition
import TokenCaching
import ToolInterface

/// `cachetool doctor --revoke-pending`
struct RevokePendingCommand: NetworkCommand {
    static let configuration = SignInCommands.revokePending

    @OptionGroup var options: RevokePendingOptions
    @OptionGroup(title: "Group options") var group: GroupOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func perform(in session: Session, _ services: Services) async throws {
        guard options.revokePending else { throw CommandFailure(.usage, "Use --revoke-pending.") }
        let opened = try session.open(.readWrite)
        defer { opened.close() }
        // What cannot be removed must not be sent, again and again.
        if let reason = opened.readOnlyReason { throw reason }
        var reports: [RevocationReport] = []
        let clients = Set(try opened.pendingRevocations().map { $0.clientID.lowercased() }).sorted()
        for clientID in clients where !Interruption.isWanted {
            let cache = try session.cache(of: opened, clientID: clientID)
            let client = try PublicClient(ClientConfiguration(clientID: clientID), cache: cache, services: services)
            reports += try await interruptible(client) { client in try await client.revokePending() }
        }
        if session.usesJSON { write(reports, session) } else { show(reports, session.console) }
        // An interruption leaves the other apps' unasked.
        let left =
            Interruption.isWanted
            ? try opened.pendingRevocations().count : reports.count { $0.isPending && $0.outcome != .done }
        let problems = [
            left == 0
                ? nil
                : "\(HumanNumber.count(left, one: "revocation is", many: "revocations are")) still pending. Repeat this command "
                    + "later.",
            reports.contains(where: \.needsHost)
                ? "For an endpoint on another host, use cachetool sign-out --revoke with --endpoint-host." : nil,
            reports.contains(where: \.needsSecret)
                ? "For an app with a secret, use cachetool sign-out --revoke with --client-secret-file." : nil,
            reports.contains { $0.outcome != .done && !$0.isPending }
                ? "What an authority does not revoke stays valid there; it is no longer kept here." : nil,
        ].compactMap(\.self)
        if !problems.isEmpty { throw CommandFailure(.partial, problems.joined(separator: " ")) }
    }

    private func show(_ reports: [RevocationReport], _ console: Console) {
        if reports.isEmpty, !Interruption.isWanted { console.remark("No revocation is pending.") }
        for report in reports {
            let revocation = report.revocation
            let end =
                report.isPending
                ? ", pending until " + HumanTime.full(revocation.expiresOn.secondsSince1970, now: console.now) : ""
            let what =
                switch report.outcome {
                case .done: report.isPending ? "revoked, but not yet removed from the group" : "revoked"
                case .notSupported: "not revoked: the authority does not offer that"
                case .failed(let error):
                    "\(report.outcome.mayBeDone ? "may not have been" : "not") revoked\(end). \(error)"
                default: report.outcome.shownName
                }
            console.write(
                line: VisibleText.escaped(
                    "\(revocation.accountID.text), app \(revocation.clientID), \(revocation.authority): \(what)"
                )
            )
        }
    }

    private func write(_ reports: [RevocationReport], _ session: Session) {
        let json = JSONWriter(session.console.output)
        json.document {
            json.member("group", session.groupName)
            json.array("revocations") {
                for report in reports {
                    let revocation = report.revocation
                    json.objectElement {
                        json.member("client_id", revocation.clientID)
                        json.member("username", revocation.hasHomeAccountID ? "" : revocation.accountID.text)
                        json.account(revocation.hasHomeAccountID ? revocation.accountID : nil)
                        json.member("environment", revocation.environment)
                        json.member("authority", revocation.authority)
                        json.member("revocation", report.outcome.shownName)
                        json.member(
                            "pending_until",
                            report.isPending ? revocation.expiresOn.secondsSince1970 : nil
                        )
                    }
                }
            }
        }
    }
}

extension RevocationReport {
    /// Whether the endpoint was not asked because its host is not known to be the authority's.
    fileprivate var needsHost: Bool {
        if case .failed(let error) = outcome { error.endpointHost != nil } else { false }
    }

    /// Whether the authority refused the client because it did not authenticate.
    fileprivate var needsSecret: Bool {
        if case .failed(let error) = outcome { error.errorResponse?.error == "invalid_client" } else { false }
    }
}
