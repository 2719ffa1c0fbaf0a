// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import RecordStorage

extension ProvokedError {
    static func ofKeys(_ code: StorageError.Code) -> ProvokedError {
        switch code {
        case .keyRejected:
            ProvokedError(
                make: { group in
                    try addPassphrase(group)
                    try FileManager.default.removeItem(atPath: group.keyFile)
                    group.wrapper = givingPassphrase("wrong horse")
                },
                command: ["list", "--passphrase-fd", "3"],
                exitCode: 4,
                cause: "This key does not open the group",
                advice: "Use the right passphrase or key file; if it is the right one, a key slot may be damaged: "
                    + "see cachetool repair --group contoso --dry-run.",
                person: { $0.wrapper = givingPassphrase(passphrase) }
            )
        case .keyMissing:
            ProvokedError(
                make: { try FileManager.default.moveItem(atPath: $0.keyFile, toPath: $0.home.path + "/backup") },
                command: ["list"],
                exitCode: 4,
                cause: "No key that opens the group is available",
                advice: "Open the group with what it was made with: --key-file",
                // The first half of the advice; BrokenStateTests starts over.
                person: { $0.options += ["--key-file", $0.home.path + "/backup"] }
            )
        case .keyFileInvalid:
            ProvokedError(
                make: { try writeKeyFile(Data("short".utf8), $0) },
                command: ["slots", "add"],
                exitCode: 8,
                cause: "The key file cannot be used (it has 5 bytes; a key file has 32 to 4,096",
                advice: "Use a regular file that you own, with mode 0600 and 32 to 4,096 bytes.",
                run: addKeyFile,
                person: { try writeKeyFile(Data(repeating: 7, count: 32), $0) }
            )
        case .unsupportedKDF:
            ProvokedError(
                make: { group in
                    try addPassphrase(group)
                    try FileManager.default.copyItem(atPath: group.journal.path(), toPath: group.home.path + "/journal")
                    let slots = try group.run("slots", "list", "--json").json["slots"] as? [[String: Any]] ?? []
                    let id = slots.first { $0["kind"] as? String == "passphrase" }?["id"] as? String ?? ""
                    try FileManager.default.moveItem(atPath: group.keys, toPath: group.home.path + "/backup")
                    try group.change(group.journal.path()) { bytes in
                        // The slot says in its first 28 bytes what a guess costs: Formats/KeySlots.md.
                        for copy in positions(of: id, in: bytes) {
                            bytes.replaceSubrange(copy + 20..<copy + 24, with: [0, 0, 0, 0x7F])
                        }
                    }
                    group.wrapper = givingPassphrase(passphrase)
                },
                command: ["list", "--passphrase-fd", "3"],
                exitCode: 4,
                cause: "A passphrase slot demands a cost outside the accepted bounds",
                advice:
                    "It may be damaged or forged: see cachetool repair --group contoso --dry-run, or open the group with "
                    + "another key and replace the slot.",
                run: { group, command, isAgain in try group.run(isAgain ? ["list"] : command) },
                person: { group in
                    try FileManager.default.moveItem(atPath: group.home.path + "/backup", toPath: group.keys)
                    // The other key shows that the slots were tampered with, and the message of that says what to do.
                    group.wrapper = []
                    let said = try group.run("list").messages
                    guard said.contains("restore a backup") else { throw Unfit(reason: said) }
                    let backup = try Data(contentsOf: URL(filePath: group.home.path + "/journal"))
                    try group.change(group.journal.path()) { bytes in bytes = backup }
                }
            )
        case .passphraseSlotExists:
            ProvokedError(
                make: { group in
                    try addPassphrase(group)
                    group.wrapper = givingPassphrase(passphrase)
                },
                command: ["slots", "add", "--new-passphrase-fd", "3"],
                exitCode: 1,
                cause: "The group already has a passphrase",
                advice: "Remove its key slot first.",
                person: { try removeSlot("passphrase", $0) }
            )
        case .lastSlot:
            ProvokedError(
                make: { _ in },
                command: ["slots", "remove"],
                exitCode: 1,
                cause: "The last key slot cannot be removed",
                advice: "Add another key slot first.",
                run: { group, command, isAgain in
                    let slots = try group.run("slots", "list", "--json").json["slots"] as? [[String: Any]] ?? []
                    let own = slots.first { $0["kind"] as? String == "own_key_file" }?["id"] as? String ?? ""
                    // What opens the group from then on has to be given, or the new slot would go, too.
                    return try group.run(
                        command + [own, "--yes"] + (isAgain ? ["--key-file", group.home.path + "/key"] : [])
                    )
                },
                person: addKeySlot
            )
        case .tooManySlots:
            ProvokedError(
                make: { group in
                    for number in 1..<8 {
                        let path = group.home.path + "/key\(number)"
                        guard try group.run("slots", "add", "--new-key-file", path).exitCode == 0 else {
                            throw Unfit(reason: "slot \(number) was not added")
                        }
                    }
                },
                command: ["slots", "add"],
                exitCode: 1,
                cause: "The group has no free key slot",
                advice: "Remove a key slot first.",
                run: addKeyFile,
                person: { try removeSlot("key_file", $0) }
            )
        default:
            ProvokedError(
                make: addKeySlot,
                command: ["slots", "remove", "dead", "--yes"],
                exitCode: 3,
                cause: "No slot of group contoso begins with dead.",
                advice: "Type at least four characters of the SLOT that cachetool slots list --group contoso shows.",
                run: { group, command, isAgain in
                    guard isAgain else { return try group.run(command) }
                    let shown = try group.shell("cachetool slots list --group contoso").lines
                    let slot = shown.first { $0.contains("  key file") }?.prefix(4)
                    return try group.run(["slots", "remove", slot.map(String.init) ?? "none", "--yes"])
                }
            )
        }
    }

    private static let passphrase = "correct horse"

    private static func givingPassphrase(_ text: String) -> [String] {
        ["/bin/bash", "-c", "exec \"$@\" 3<<<'\(text)'", "bash"]
    }

    private static func addPassphrase(_ group: DoctoredGroup) throws {
        group.wrapper = givingPassphrase(passphrase)
        defer { group.wrapper = [] }
        let done = try group.run("slots", "add", "--new-passphrase-fd", "3")
        guard done.exitCode == 0 else { throw Unfit(reason: done.messages) }
    }

    private static func writeKeyFile(_ bytes: Data, _ group: DoctoredGroup) throws {
        try bytes.write(to: URL(filePath: group.home.path + "/key"))
        try BrokenState.chmod(0o600, group.home.path + "/key")
    }

    @Sendable private static func addKeySlot(_ group: DoctoredGroup) throws {
        try writeKeyFile(Data(repeating: 7, count: 32), group)
        let done = try addKeyFile(group, ["slots", "add"], isAgain: false)
        guard done.exitCode == 0 else { throw Unfit(reason: done.messages) }
    }

    @Sendable private static func addKeyFile(
        _ group: DoctoredGroup,
        _ command: [String],
        isAgain: Bool
    ) throws -> FinishedProgram {
        try group.run(command + ["--new-key-file", group.home.path + "/key"])
    }

    private static func positions(of id: String, in bytes: Data) -> [Int] {
        var digits = id[...]
        var wanted = Data()
        while !digits.isEmpty {
            wanted.append(UInt8(digits.prefix(2), radix: 16) ?? 0)
            digits = digits.dropFirst(2)
        }
        var found: [Int] = []
        var start = bytes.startIndex
        while let range = bytes.range(of: wanted, in: start..<bytes.endIndex) {
            found.append(range.lowerBound)
            start = range.upperBound
        }
        return found
    }
}
