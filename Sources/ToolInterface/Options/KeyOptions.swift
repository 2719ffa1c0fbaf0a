// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
public import CacheAdministration
public import TokenCaching

/// What a command opens the group with, besides the keys that the library finds by itself.
public struct KeyOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Open with this key file instead of the group's own, which is in .keys below --root, or else in $XDG_STATE_HOME/swift-token-cache/keys.",
            valueName: "path"
        ),
        completion: .file(),
        transform: CallersPath.input
    )
    var keyFile: String?

    @Option(
        help: ArgumentHelp(
            "Open with the systemd credential of this name, in $CREDENTIALS_DIRECTORY.",
            valueName: "name"
        )
    )
    var keyCredential: String?

    @Option(
        help: ArgumentHelp(
            "Open with a key file that Kubernetes or Docker mounted: of root or you, read-only or in memory.",
            valueName: "path"
        ),
        completion: .file(),
        transform: CallersPath.input
    )
    var keyFileMounted: String?

    /// The descriptor of a passphrase.
    @Option(
        help: ArgumentHelp(
            "Open with the passphrase on the first line of descriptor <n>, such as 3 in 3<file. Passphrases are never "
                + "taken from arguments or the environment.",
            valueName: "n"
        ),
        transform: { text throws(CommandFailure) in try CallersDescriptor(typed: text) }
    )
    public var passphraseFd: CallersDescriptor?

    /// Called by the parser.
    public init() {}
}

extension KeyOptions {
    /// The first typed option; nil if there is none.
    var givenOption: String? {
        let options = [
            ("--key-file", keyFile != nil), ("--key-credential", keyCredential != nil),
            ("--key-file-mounted", keyFileMounted != nil), ("--passphrase-fd", passphraseFd != nil),
        ]
        return options.first { $0.1 }?.0
    }

    /// The ways to unlock the group that the typed options name.
    ///
    /// - Parameter passphrase: the passphrase that a descriptor provides.
    /// - Returns: these ways, in the order in which to try them.
    func ways(passphrase: (CallersDescriptor) -> FileUnlocking) -> [FileUnlocking] {
        var ways: [FileUnlocking] = []
        if let keyFile { ways.append(.keyFile(path: keyFile)) }
        if let keyCredential { ways.append(.credential(keyCredential)) }
        if let keyFileMounted { ways.append(.mountedSecret(path: keyFileMounted)) }
        if let passphraseFd { ways.append(passphrase(passphraseFd)) }
        return ways
    }

    /// Whether a typed option provides the secret of a slot.
    func canProvideSecret(of slot: SlotSummary) -> Bool {
        switch slot.kind {
        case .keyFile: (keyFile ?? keyCredential ?? keyFileMounted) != nil && slot.keyFilePath != nil
        case .passphrase: passphraseFd != nil
        case .ownKeyFile, .keyring, .unknown: false
        // A newer library may have more kinds than this program knows.
        @unknown default: false
        }
    }
}

extension SlotSummary.Kind {
    /// The option that gives a command the secret of an existing slot; nil if there is none.
    public var openingOption: String? {
        switch self {
        case .keyFile: "--key-file PATH, --key-credential NAME or --key-file-mounted PATH"
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

/// The secret that will open a new key slot: exactly one of these options.
public struct NewSlotOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A key file of 32 to 4,096 bytes, mode 0600; created if it does not exist.",
            valueName: "path"
        ),
        completion: .file(),
        transform: CallersPath.input
    )
    var newKeyFile: String?

    @Option(help: ArgumentHelp("The systemd credential of this name.", valueName: "name"))
    var newKeyCredential: String?

    @Option(
        help: ArgumentHelp("A key file that Kubernetes or Docker mounted.", valueName: "path"),
        completion: .file(),
        transform: CallersPath.input
    )
    var newKeyFileMounted: String?

    @Flag(help: "An item in the keyring of the session, in the collection of --collection.")
    var newKeyring = false

    /// Whether the user types a passphrase.
    @Flag(help: "A passphrase that you type on the terminal.")
    public var newPassphrase = false

    @Option(
        help: ArgumentHelp("A passphrase on the first line of descriptor <n>.", valueName: "n"),
        transform: { text throws(CommandFailure) in try CallersDescriptor(typed: text) }
    )
    var newPassphraseFd: CallersDescriptor?

    /// Called by the parser.
    public init() {}

    /// Called by the parser. Rejects any number of these options other than one.
    public func validate() throws {
        let given = [
            newKeyFile != nil, newKeyCredential != nil, newKeyFileMounted != nil, newKeyring, newPassphrase,
            newPassphraseFd != nil,
        ].count { $0 }
        guard given == 1 else {
            throw ValidationError(
                "Specify the new slot with one of --new-keyring, --new-key-file, --new-key-credential, "
                    + "--new-key-file-mounted, --new-passphrase, --new-passphrase-fd."
            )
        }
    }

    /// The new way to unlock the group.
    public func unlocking(_ session: Session, collection: String?) -> FileUnlocking {
        if let newKeyFile { return .keyFile(path: newKeyFile) }
        if let newKeyCredential { return .credential(newKeyCredential) }
        if let newKeyFileMounted { return .mountedSecret(path: newKeyFileMounted) }
        if newKeyring { return .keyring(collection: collection) }
        return session.newPassphrase(from: newPassphraseFd)
    }
}
