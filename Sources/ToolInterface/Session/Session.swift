// SPDX-License-Identifier: Apache-2.0

public import CacheAdministration
import Glibc
public import TokenCaching

/// One run of a command, with its group, its output, and what unlocks the group.
public final class Session {
    /// The output of the run.
    public let console: Console
    /// Prompts the user.
    public let prompt: Prompt
    /// Whether the output is one JSON document.
    public let usesJSON: Bool
    /// The options that name the other library's cache that is shown; nil if a group is shown.
    public var shownDocument: String?
    private let options: GroupOptions
    /// The timeout of the whole command.
    private let time: SharedTimeout
    private let commandNames: [String]
    private let passphrases: Passphrases

    /// Creates a session.
    ///
    /// - Parameters:
    ///   - group: the options that select the group.
    ///   - output: the output options.
    ///   - commandNames: the names of all commands as typed after the program's name, longer ones first.
    public init(_ group: GroupOptions, _ output: OutputOptions, commandNames: [String]) {
        self.commandNames = commandNames
        options = group
        console = Console(isQuiet: output.quiet, isWide: output.wide)
        let time = SharedTimeout(group.timeout.duration)
        self.time = time
        prompt = Prompt(console, isForbidden: output.noPrompt) { time.restart() }
        passphrases = Passphrases(mayAsk: prompt.isPossible)
        usesJSON = output.json
    }

    /// The name of the group.
    public var groupName: String { options.group ?? GroupOptions.standardGroup }

    /// The name of the group, if the user typed one.
    public var typedGroupName: String? { options.group }

    /// The folder that contains the groups; nil for the user's own.
    public var root: String? { options.root }

    /// The time left for waiting.
    private var timeout: Duration { time.remaining }

    /// Opens the group, which must exist.
    ///
    /// - Parameter access: whether to open it for writing.
    /// - Returns: the open group.
    /// - Throws: errors of the library; the error for a missing group names the existing ones.
    public func open(_ access: GroupAccess) throws -> CacheGroup {
        if options.storage == .memory {
            throw CommandFailure(
                .noBackend,
                "Group \(groupName) is not in memory: a group in memory exists only as long as the program that created "
                    + "it. Omit --storage."
            )
        }
        var triesLeft = 3
        while true {
            do throws(TokenCacheError) {
                return remarkingLeftover(try open(access, storage))
            } catch {
                triesLeft -= 1
                // Let users who mistyped a passphrase type it again here, not at the shell, which would show it.
                guard error.code == .keyRejected, triesLeft > 0, passphrases.forgetTyped() else {
                    throw explained(error)
                }
                console.warn("this passphrase does not open the group. Try again.")
                time.restart()
            }
        }
    }

    /// Says that another store may still contain what this command reads, changes or signs out, and why.
    private func remarkingLeftover(_ group: CacheGroup) -> CacheGroup {
        if let problem = group.leftoverProblem {
            console.remark(
                "A migration is running or was interrupted: the group's other store may still contain records, including those "
                    + "of accounts that have signed out since. \(problem)"
            )
        }
        return group
    }

    /// Opens the group, creating it if it does not exist.
    public func openOrCreate() throws(TokenCacheError) -> CacheGroup {
        do throws(TokenCacheError) {
            return remarkingLeftover(try open(.readWrite, storage))
        } catch {
            guard error.code == .notFound else { throw error }
        }
        let isNew = isFolderMissing
        // Read before there is a folder, because whoever writes the passphrase may never come.
        if let descriptor = options.keys.passphraseFd {
            _ = try passphrases.answer(PassphraseRequest(group: groupName, purpose: .create), from: descriptor)
        }
        do throws(TokenCacheError) {
            return try open(.create, storage(isNew: true))
        } catch {
            if isNew, error.code != .busy { removeUnfinished() }
            throw error
        }
    }

    /// Whether there is no folder of the group, so that this run may remove the one that it creates.
    private var isFolderMissing: Bool {
        (try? CacheGroup.list(root: root))?.contains { $0.name == groupName } == false
    }

    /// Removes the folder that this run created for a group whose creation failed.
    private func removeUnfinished() {
        time.restart()
        _ = try? reference(storage).removeUnfinished()
    }

    /// Returns the cache of an application. Each of its calls has the full timeout, because servers and users take
    /// their time between calls.
    public func cache(of group: CacheGroup, clientID: String) throws(TokenCacheError) -> TokenCache {
        try group.tokenCache(clientID: clientID, options: TokenCacheOptions(timeout: options.timeout.duration))
    }

    private func open(_ access: GroupAccess, _ storage: StorageChoice) throws(TokenCacheError) -> CacheGroup {
        try reference(storage).open(access, sharing: time)
    }

    /// Opens a group for reading without prompting the user.
    public func openQuietly(_ name: String) throws(TokenCacheError) -> CacheGroup {
        // A group that hangs must not use up the time of the others.
        time.restart()
        return try GroupReference(name, root: root, storage: foundStorage).open(.readOnly, sharing: time)
    }

    /// Recovers the records of the group that verify. Only `--storage` means that its records are in the file; a key
    /// does not.
    public func repair(isDryRun: Bool) throws(TokenCacheError) -> RepairReport {
        var group = reference(options.storage == .automatic ? .automatic : storage)
        group.fallbackUnlocking = namedWays
        if namedWays.isEmpty {
            group.fallbackUnlocking = [.keyring(collection: options.collection), passphrase(from: nil)]
        }
        let summary = try group.repair(isDryRun: isDryRun)
        // Examining a journal is work, not waiting.
        time.restart()
        return summary
    }

    /// Removes the group, or reports what would be removed. Does not ask for a passphrase: a key is needed only if
    /// nothing else shows what belongs to the group.
    public func remove(isDryRun: Bool) throws(TokenCacheError) -> GroupRemovalReport {
        var group = reference(foundStorage)
        group.fallbackUnlocking = []
        let report = try group.remove(isDryRun: isDryRun)
        // Removing items one by one is work, not waiting.
        time.restart()
        return report
    }

    /// Asks the keyring to unlock the collection of the group. The keyring may prompt even if no user is at this
    /// terminal, because it has a window of its own.
    public func unlockKeyring(mayPrompt: Bool) throws(TokenCacheError) -> KeyringUnlockReport {
        var group = reference(.automatic)
        group.prompts = mayPrompt ? .allowed() : .never
        return try group.unlockKeyring(collection: options.collection)
    }

    /// Accepts the file of the group as it is.
    public func acceptRollback(isDryRun: Bool) throws(TokenCacheError) -> RepairReport {
        let report = try reference(storage).acceptRollback(isDryRun: isDryRun)
        // Examining a journal is work, not waiting.
        time.restart()
        return report
    }

    /// Adopts a group of the keyring, or the group in the folder, which is repaired if it is damaged.
    public func adopt() throws(TokenCacheError) -> RepairReport {
        let isNew = isFolderMissing
        do throws(TokenCacheError) {
            return try reference(foundStorage).adopt(collection: options.collection)
        } catch {
            if isNew { removeUnfinished() }
            throw error
        }
    }

    /// Whether the group is in a file, according to its folder.
    public var hasFile: Bool {
        (try? CacheGroup.list(root: root))?.contains { $0.name == groupName && $0.storage == .file } == true
    }

    /// The group, with what unlocks it according to the options. Its timeout is the time that is left.
    public var reference: GroupReference { reference(storage) }

    /// Migrates the group to another kind of store.
    public func migrate(to target: StorageChoice, progress: @escaping ProgressHandler) throws(TokenCacheError)
        -> MigrationReport
    {
        try reference(foundStorage).migrate(to: target, progress: progress)
    }

    private func reference(_ storage: StorageChoice) -> GroupReference {
        GroupReference(
            groupName,
            root: root,
            storage: storage,
            fallbackUnlocking: [passphrase(from: nil)],
            timeout: timeout,
            prompts: prompts
        )
    }

    /// If a user is at the terminal, the keyring may prompt too.
    private var prompts: KeyringPrompts { prompt.isPossible ? .allowed() : .never }

    /// Whether the command line names a key, or says that the group is kept in memory.
    private var namesKey: Bool {
        options.keys.givenOption != nil || options.storage == .memory
    }

    /// The group's storage and what unlocks it, according to the options.
    public var storage: StorageChoice { storage(isNew: false) }

    /// The same, but as the group's folder says it, unless the options name a key.
    private var foundStorage: StorageChoice { namesKey ? storage : .automatic }

    private func storage(isNew: Bool) -> StorageChoice {
        options.storage.choice(
            keys: namedWays,
            // Try the keys that the library finds by itself, then a passphrase if prompting is possible.
            otherwise: FileUnlocking.foundByLibrary(collection: options.collection) + [passphrase(from: nil)],
            collection: options.collection,
            hasFile: hasFile,
            isNew: isNew
        )
    }

    /// The ways to unlock the group that the options name.
    private var namedWays: [FileUnlocking] {
        options.keys.ways { descriptor in passphrase(from: descriptor) }
    }

    /// A new passphrase for the group, for which the user is prompted twice.
    public func newPassphrase(from descriptor: CallersDescriptor?) -> FileUnlocking {
        passphrase(from: descriptor, isNew: true)
    }

    /// Whether the given secrets open a slot, so that a change of keys can keep the slot.
    public func canKeep(_ slot: SlotSummary) -> Bool {
        slot.kind.isFoundByLibrary || options.keys.canProvideSecret(of: slot)
    }

    private func passphrase(from descriptor: CallersDescriptor?, isNew: Bool = false) -> FileUnlocking {
        .passphrase { [passphrases] request throws(TokenCacheError) in
            try passphrases.answer(request, from: descriptor, isNew: isNew)
        }
    }

    /// The folder that contains the groups, for display.
    public var shownRoot: String { root ?? CacheGroup.standardRoot ?? "the standard root" }

    /// Returns an error of the library unchanged, except for errors about keys, which it explains with the options that
    /// provide a key, and for a missing group, which it explains with the existing groups.
    ///
    /// - Parameters:
    ///   - error: the error of the library.
    ///   - triedCopies: whether the copy of the key slots was also tried, as by `doctor` and `repair`.
    /// - Returns: the error to throw instead.
    public func explained(_ error: TokenCacheError, triedCopies: Bool = false) -> any Error {
        if let failure = error.failureOfOwnCode { return failure }
        if error.code == .keyMissing { return keyMissing(error) }
        if error.code == .keyRejected || error.code == .keyFileInvalid, !namesKey, let path = error.path {
            return CommandFailure(
                .locked,
                "The group's own key file does not open it (\(path)): it was changed or replaced, the folder is from before "
                    + "a change of keys, or its key slots are damaged.",
                advice: (triedCopies
                    ? "Restore" : "Run cachetool doctor to see whether cachetool repair can fix it. If not, restore")
                    + " the key file from a backup, or open the group with --key-file or --passphrase-fd; if no key "
                    + "is left, move \(shownRoot)/\(groupName) away to start over."
            )
        }
        guard error.code == .notFound, let groups = try? CacheGroup.list(root: root) else { return error }
        let others = groups.filter { $0.state != .empty }.map(\.name)
        // The group exists, so something else was not found.
        if others.contains(groupName) { return error }
        if (try? CacheGroup.isInKeyring(groupName, timeout: timeout)) == true {
            return CommandFailure(
                .notFound,
                "The keyring has a group \(groupName) that belongs to another folder, or whose folder is gone.",
                advice: "To give the group to \(shownRoot)/\(groupName), run cachetool repair --adopt."
            )
        }
        if groups.contains(where: { $0.name == groupName }) {
            return CommandFailure(
                .notFound,
                "Group \(groupName) is empty.",
                advice: "To fill it, sign in or run cachetool import FILE."
            )
        }
        let text = "There is no group \(groupName)"
        if others.isEmpty {
            return CommandFailure(
                .notFound,
                text + " under \(shownRoot).",
                advice: "Create it with cachetool import FILE, or select another folder with --root."
            )
        }
        let shown = others.prefix(8).joined(separator: ", ") + (others.count > 8 ? ", …" : "")
        return CommandFailure(
            .notFound,
            text + ". The existing groups are: \(shown).",
            advice: "Select one with --group, or create this one with cachetool import FILE."
        )
    }

    /// A finding whose error is explained, with the group named in each command that it advises.
    public func explained(_ finding: ExaminationFinding) -> ExaminationFinding {
        let failure = finding.error.flatMap { explained($0, triedCopies: true) as? CommandFailure }
        return ExaminationFinding(
            finding.topic,
            level: finding.level,
            text: failure?.problem ?? finding.text,
            advice: (failure?.advice ?? finding.advice).map(advised.completed),
            since: finding.since
        )
    }

    /// Completes the commands in messages.
    public var advised: AdvisedCommands { advised(group: options.group) }

    /// The same for another group.
    public func advised(group: String?) -> AdvisedCommands {
        AdvisedCommands(group: group, root: root, names: commandNames, document: shownDocument)
    }

    /// The error with the group named in each command that it advises.
    public func completed(_ error: any Error) -> any Error {
        switch error {
        case let failure as CommandFailure:
            return CommandFailure(
                failure.status,
                advised.completed(failure.problem),
                advice: failure.advice.map(advised.completed)
            )
        case let error as TokenCacheError where error.code == .homeMissing:
            return CommandFailure(.usage, error.description.dropLast() + " with --root.")
        case let error as TokenCacheError where error.code == .storageMoved:
            return CommandFailure(
                ExitStatus(error.code),
                String(error.description.dropLast(error.advice.count + 1)),
                advice: "Nothing was written; run the command again."
            )
        case let error as TokenCacheError
        where error.code != .cancelled && error.code != .invalidRequest && error.systemErrorNumber != EPIPE:
            let text = advised.completed(error.description)
            return text == error.description ? error : CommandFailure(ExitStatus(error.code), text)
        default: return error
        }
    }

    private func keyMissing(_ error: TokenCacheError) -> CommandFailure {
        let problem = String(error.description.dropLast(error.advice.count + 1))
        if options.keys.keyCredential != nil {
            return CommandFailure(
                .locked,
                problem,
                advice: "Give the unit a LoadCredential= or LoadCredentialEncrypted= with the name in --key-credential."
            )
        }
        if let option = options.keys.givenOption {
            return CommandFailure(
                .locked,
                problem,
                advice: "Check the key passed with \(option), or omit it if the group has a key file of its own."
            )
        }
        return CommandFailure(
            .locked,
            problem,
            advice:
                "Open the group with what it was made with: --key-file, --passphrase-fd, or the HOME and XDG_STATE_HOME that "
                + "were set then; or restore its key file. If all keys are lost, the group cannot be recovered: move "
                + "\(shownRoot)/\(groupName) away to start over."
        )
    }

    /// Reports output that could not be written as an error, unless the reader closed the pipe.
    public func finish() throws {
        console.flush()
        guard console.output.failure != 0 else { return }
        throw CommandFailure(
            .failure,
            "Standard output could not be written: \(Syscalls.message(for: console.output.failure))."
        )
    }
}
