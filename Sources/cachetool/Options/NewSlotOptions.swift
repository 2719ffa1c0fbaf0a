// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CacheAdministration
import TokenCaching
import ToolInterface

/// The secret that opens a new key slot: exactly one of these four.
struct NewSlotOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A key file of 32 to 4,096 bytes, mode 0600; created if it does not exist.",
            valueName: "path"
        ),
        completion: .file()
    )
    var newKeyFile: String?

    @Flag(help: "An item in the keyring of the session, in the collection of --collection.")
    var newKeyring = false

    @Flag(help: "A passphrase that you type on the terminal.")
    var newPassphrase = false

    @Option(help: ArgumentHelp("A passphrase on the first line of descriptor <n>.", valueName: "n"))
    var newPassphraseFd: Int32?

    func validate() throws {
        let given = [newKeyFile != nil, newKeyring, newPassphrase, newPassphraseFd != nil].count { $0 }
        guard given == 1 else {
            throw ValidationError(
                "Specify the new slot with one of --new-keyring, --new-key-file, "
                    + "--new-passphrase, --new-passphrase-fd."
            )
        }
    }

    /// The new way to unlock the group.
    func unlocking(_ session: Session, collection: String?) -> FileUnlocking {
        if let newKeyFile { return .keyFile(path: newKeyFile) }
        if newKeyring { return .keyring(collection: collection) }
        return session.newPassphrase(from: newPassphraseFd)
    }
}

extension SlotSummary.Kind {
    /// The option that gives a command the secret of an existing slot; nil if there is none.
    var openingOption: String? {
        switch self {
        case .keyFile: "--key-file PATH"
        case .passphrase: "--passphrase-fd N"
        // The library finds these by itself.
        case .ownKeyFile, .keyring: nil
        // No program of this version can provide the secret.
        case .unknown: nil
        // A newer library may have more kinds than this program knows.
        @unknown default: nil
        }
    }
}
