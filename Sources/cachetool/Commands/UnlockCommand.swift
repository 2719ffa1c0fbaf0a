// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CacheAdministration
import TokenCaching
import ToolInterface

/// `cachetool unlock`
struct UnlockCommand: GroupCommand {
    static let configuration = CommandConfiguration(
        commandName: "unlock",
        abstract: "Ask the keyring to unlock its collection.",
        discussion: """
            The keyring prompts for its password itself. If it cannot, as over SSH or without a display, cachetool \
            says what to do instead. Unlocks the collection that the group names, or else that of --collection, or \
            else the default one. The exit status is 4 if the collection stays locked.

            EXAMPLES:
              cachetool unlock
              cachetool unlock --collection login
            """
    )

    @OptionGroup(title: "Group options") var group: GroupOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func perform(in session: Session) throws {
        let report = try session.unlockKeyring(mayPrompt: !output.noPrompt)
        if session.usesJSON {
            write(report, JSONWriter(session.console.output))
        } else if report.error == nil {
            let state = report.wasLocked ? "unlocked" : "already unlocked"
            session.console.write(
                line: "\(state): collection \(report.collection) of \(Self.words(report.program).name)",
                .good
            )
        }
        guard let error = report.error else { return }
        throw CommandFailure(.locked, "\(cause(error, report)) \(Self.words(report.program).way)")
    }

    private func cause(_ error: TokenCacheError, _ report: KeyringUnlockReport) -> String {
        let collection = "Collection \(report.collection) of \(Self.words(report.program).name)"
        switch error.code {
        case .promptDismissed: return collection + " stays locked: its prompt was dismissed."
        case .promptPending:
            return collection + " stays locked: its prompt was not answered; it may be on another screen."
        default:
            return collection + " is locked, and it "
                + (output.noPrompt ? "may not prompt for its password." : "cannot prompt for its password here.")
        }
    }

    /// The name of the program, and how to unlock the keyring without its prompt. The password must not end with a line
    /// end, which would be part of it.
    private static func words(_ program: KeyringUnlockReport.Program) -> (name: String, way: String) {
        switch program {
        case .gnomeKeyring:
            (
                "gnome-keyring",
                "Type its password, usually that of your login, into this command of bash or zsh: read -rs password; "
                    + "printf %s \"$password\" | gnome-keyring-daemon --replace --unlock; unset password"
            )
        case .keePassXC:
            ("KeePassXC", "Unlock the database in the window of KeePassXC, which has no command for that.")
        case .kWallet:
            (
                "KWallet",
                "Log in to the desktop with a password, or open the wallet there: KWallet has no command for that."
            )
        case .other: ("the keyring", "Unlock it with its own program.")
        // A newer library may know more programs than this one.
        @unknown default: ("the keyring", "Unlock it with its own program.")
        }
    }

    private func write(_ report: KeyringUnlockReport, _ json: JSONWriter) {
        json.document {
            json.member("program", report.program.rawValue)
            json.member("collection", report.collection)
            json.member("was_locked", report.wasLocked)
            json.member("unlocked", report.error == nil)
        }
    }
}
