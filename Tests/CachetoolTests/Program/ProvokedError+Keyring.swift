// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import RecordStorage

extension ProvokedError {
    static func ofTheKeyring(_ code: StorageError.Code) -> ProvokedError {
        switch code {
        case .keyringMissing:
            ProvokedError(
                make: { try $0.keyring?.killDaemon() },
                command: ["list"],
                exitCode: 5,
                cause: "No keyring can be reached",
                advice: "Start a keyring in this session",
                keyring: .withGroup,
                person: { try $0.keyring?.startDaemon() }
            )
        case .keyringLocked:
            ProvokedError(
                make: { try $0.keyring?.lock() },
                command: ["list"],
                exitCode: 4,
                cause: "The keyring is locked",
                advice: "cachetool unlock --group contoso",
                keyring: .withGroup,
                // It says what to type where nobody can be asked: BrokenStateTests.
                person: restartKeyring
            )
        case .promptDismissed:
            prompted(
                "asks-in-vain",
                cause: "The prompt of the keyring was dismissed",
                advice: "Nothing was changed; try again and answer the prompt."
            )
        case .promptPending:
            prompted(
                "asks-for-ever",
                cause: "The prompt of the keyring was not answered in time",
                advice: "It was withdrawn; try again."
            )
        case .keyringRefused:
            ProvokedError(
                make: { try $0.keyring?.startFake("nonsense") },
                command: ["list"],
                exitCode: 1,
                cause: "The keyring refused the request, or gave an invalid answer",
                advice: "Restart the keyring, then try again.",
                keyring: .withGroup,
                person: restartKeyring
            )
        case .keyringItemMissing:
            ProvokedError(
                make: { try $0.keyring?.startFake("none") },
                command: ["list"],
                exitCode: 7,
                cause: "An item of the group is missing from the keyring",
                advice:
                    "Rename the folder back if it was renamed, or run cachetool repair --group contoso --adopt --collection NAME",
                keyring: .withGroup,
                person: restartKeyring
            )
        case .groupElsewhere:
            ProvokedError(
                make: { $0.options += ["--root", $0.home.path + "/elsewhere"] },
                command: ["import", ScratchGroup.sample, "--storage", "keyring"],
                exitCode: 5,
                cause: "The keyring has a group of this name that belongs to another folder",
                advice:
                    "Use that folder, or another name; to give the group to this folder, run cachetool repair --group "
                    + "contoso --root",
                keyring: .withGroup,
                // The second half is what the command did: it is what the person does not want to have done by mistake.
                person: { $0.options = ["--group", "another", "--root", $0.home.path + "/elsewhere"] }
            )
        default:
            ProvokedError(
                make: putOldFileBack,
                command: ["list"],
                exitCode: 7,
                cause: "The file is older than the newest state that was recorded",
                advice:
                    "Restore the newer file, or accept this one with cachetool repair --group contoso --accept-rollback.",
                keyring: .besideGroup
            )
        }
    }

    /// The keyring asks before it makes an item, on a terminal.
    private static func prompted(_ quirk: String, cause: String, advice: String) -> ProvokedError {
        ProvokedError(
            make: { try $0.keyring?.startFake(quirk) },
            command: ["import", ScratchGroup.sample, "--storage", "keyring", "--group", "another"],
            exitCode: 4,
            cause: cause,
            advice: advice,
            keyring: .besideGroup,
            run: { group, command, _ in
                let line = ([Program.cachetool.path] + command).map { "'\($0)'" }.joined(separator: " ")
                let shown = try Program(path: "/usr/bin/script").run(
                    ["--quiet", "--return", "--command", line, "/dev/null"],
                    environment: group.environment
                )
                // A terminal shows both.
                return FinishedProgram(exitCode: shown.exitCode, output: shown.output, messages: shown.text)
            },
            person: restartKeyring
        )
    }

    @Sendable private static func restartKeyring(_ group: DoctoredGroup) throws {
        try group.keyring?.killDaemon()
        try group.keyring?.startDaemon()
    }

    @Sendable private static func putOldFileBack(_ group: DoctoredGroup) throws {
        guard try group.run("slots", "add", "--new-keyring").exitCode == 0 else { throw Unfit(reason: "no slot") }
        let old = try Data(contentsOf: group.journal)
        guard try group.run("clear", "--expired", "--yes").exitCode == 0 else { throw Unfit(reason: "not cleared") }
        try FileManager.default.removeItem(atPath: group.folder + "/revision")
        try FileManager.default.removeItem(at: group.journal)
        try old.write(to: group.journal)
        try BrokenState.chmod(0o600, group.journal.path())
    }
}
