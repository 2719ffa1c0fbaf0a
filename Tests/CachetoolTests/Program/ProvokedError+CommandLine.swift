// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import RecordStorage

extension ProvokedError {
    static func ofTheCommandLine(_ code: StorageError.Code) -> ProvokedError {
        switch code {
        case .notFound:
            ProvokedError(
                make: { $0.options = ["--group", "absent"] },
                command: ["list"],
                exitCode: 3,
                cause: "There is no group absent. The existing groups are: contoso.",
                advice: "Select one with --group, or create this one with cachetool import --group absent FILE."
            )
        case .exists:
            ProvokedError(
                make: { group in
                    let done = try group.run("slots", "add", "--new-keyring")
                    guard done.exitCode == 0 else { throw Unfit(reason: done.messages) }
                },
                command: ["slots", "add", "--new-keyring"],
                exitCode: 1,
                cause: "the group already has a key slot for the keyring",
                advice: "That slot opens the group; to replace it, remove it first.",
                keyring: .besideGroup,
                person: { group in try removeSlot("keyring", group) }
            )
        case .homeMissing:
            ProvokedError(
                make: { $0.environment["HOME"] = nil },
                command: ["list"],
                exitCode: 2,
                cause: "No home folder is known",
                advice: "Set HOME to an absolute path, or name a root folder with --root.",
                person: { $0.environment["HOME"] = $0.home.path }
            )
        case .invalidName:
            ProvokedError(
                make: { $0.options = ["--group", "contoso sales"] },
                command: ["import", ScratchGroup.sample],
                exitCode: 2,
                cause: "The name of the group is not valid",
                advice: "Use 1 to 128 letters, digits, dots, dashes and underscores, without a leading dot.",
                person: { $0.options = ["--group", "contoso.sales"] }
            )
        case .tooLarge:
            ProvokedError(
                make: { $0.options += ["--max-size", "1K"] },
                command: ["import", ScratchGroup.sample],
                exitCode: 1,
                cause: "The data is larger than the limit",
                advice: "--max-size",
                person: { $0.options = ["--group", DoctoredGroup.name, "--max-size", "1M"] }
            )
        case .storageMismatch:
            ProvokedError(
                make: { $0.options += ["--storage", "keyring"] },
                command: ["list"],
                exitCode: 5,
                cause:
                    "The group uses a different kind of storage from the one requested "
                    + "(it is kept in the encrypted file",
                advice:
                    "Request the kind that it uses, or automatic choice; one in the keyring takes no key file and no "
                    + "passphrase.",
                person: { $0.options = ["--group", DoctoredGroup.name, "--storage", "file"] }
            )
        case .storageMoved:
            ProvokedError(
                make: { _ in },
                command: ["watch"],
                exitCode: 5,
                cause: "The folder of the group was moved or replaced while it was open",
                advice: "Nothing was written; run the command again.",
                run: { group, command, isAgain in
                    let running = try Program.cachetool.start(command + group.options, environment: group.environment)
                    let end = ContinuousClock.now + .seconds(60)
                    while !running.messagesSoFar.contains("Watching"), ContinuousClock.now < end { usleep(2_000) }
                    if isAgain {
                        running.interrupt()
                    } else {
                        try FileManager.default.moveItem(atPath: group.folder, toPath: group.folder + ".old")
                    }
                    while running.isRunning, ContinuousClock.now < end { usleep(2_000) }
                    return try running.finish()
                },
                person: { try FileManager.default.moveItem(atPath: $0.folder + ".old", toPath: $0.folder) }
            )
        case .malformedDocument:
            ProvokedError(
                make: { try Data("{\"AccessToken\":[}".utf8).write(to: URL(filePath: $0.home.path + "/cache.json")) },
                command: ["import", "cache.json"],
                exitCode: 7,
                cause: "line 1; at byte 16",
                advice: "Nothing was imported; correct the document.",
                run: { group, _, _ in try group.run(["import", group.home.path + "/cache.json"]) },
                person: { try SampleCache().document.write(to: URL(filePath: $0.home.path + "/cache.json")) }
            )
        default:
            ProvokedError(
                make: {
                    let url = "https://" + SampleCache.environment
                    $0.options += ["--account", SampleCache.adeleID, "--environment", url]
                },
                command: ["lookup", "--client", SampleCache.client, "--scopes", "User.Read"],
                exitCode: 2,
                cause: "The environment is not a host",
                advice: "name the host alone, such as login.microsoftonline.com",
                person: { $0.options = ["--group", DoctoredGroup.name, "--account", SampleCache.adeleID] }
            )
        }
    }

    /// Removes the key slot of a kind, as `slots list` shows it.
    static func removeSlot(_ kind: String, _ group: DoctoredGroup) throws {
        let slots = try group.run("slots", "list", "--json").json["slots"] as? [[String: Any]] ?? []
        guard let id = slots.first(where: { $0["kind"] as? String == kind })?["id"] as? String else {
            throw Unfit(reason: "no slot of the kind \(kind): \(slots)")
        }
        let done = try group.run("slots", "remove", id, "--yes")
        guard done.exitCode == 0 else { throw Unfit(reason: done.messages) }
    }
}
