// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CacheAdministration
import TokenCaching
import ToolInterface

/// `cachetool import`
struct ImportCommand: GroupCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Read the cache of an MSAL or ADAL library and seal what is in it.",
        discussion: """
            Takes the JSON that MSAL for Python, Go, Java, Node and .NET write. The group is created if it does \
            not exist yet. Nothing is lost: unknown fields, entries and sections are kept and exported again as they were.

            --from azure-cli, azure-identity (with the name of a cache, if it has one), git-credential-manager, \
            msal-extensions (with the path that the program gives it) and keytar (with SERVICE/ACCOUNT) look in \
            the places where those programs keep their caches: the keyring, and files that are not encrypted. \
            --from keyring reads any keyring item. None of these sources is changed.

            --from adal (or azure-cli with the file) takes accessTokens.json, which ADAL for Python and the Azure CLI before 2.30 wrote. \
            Its accounts are found by username, and its refresh tokens are spent where the group has no other; its access \
            tokens are not handed out, and none of it is exported.

            An older entry does not replace a newer one, and signed-out accounts stay signed out, unless you \
            use --replace. If the file has bad entries, nothing is imported and all bad entries are listed; with \
            --partial they are skipped instead, and the exit status is 9. The file itself is not deleted: remove it once you no longer need it.

            EXAMPLES:
              cachetool import ~/.azure/msal_token_cache.json
              cachetool import --from azure-cli ~/.azure/accessTokens.json
              cachetool import --from git-credential-manager
              decrypt cache.bin | cachetool import --group work -
            """
    )

    @Argument(
        help: ArgumentHelp("The file, or - for standard input; a name for some libraries.", valueName: "file"),
        completion: .file()
    )
    var file: String?

    @OptionGroup(title: "Import options") var options: ImportOptionGroup
    @OptionGroup(title: "Group options") var group: GroupOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func perform(in session: Session) throws {
        if file == "-" && group.passphraseFd == 0 {
            throw CommandFailure(
                .usage,
                "Standard input cannot be both the file and the passphrase: use --passphrase-fd 3."
            )
        }
        if file == "-" && Syscalls.isTerminal(0) {
            session.console.remark("Reading from the terminal; end with Ctrl-D.")
        }
        let caches = try options.format.caches(file, options)
        // Before there is a group: from here on Ctrl-C leaves none behind.
        if file == "-" { Interruption.beginEndingInput() }
        let cache: CacheGroup
        do throws(TokenCacheError) {
            cache = try session.openOrCreate()
        } catch {
            // A group that is to be created cannot be missing.
            throw error.code == .notFound ? error : session.explained(error)
        }
        defer { cache.close() }
        do {
            try read(caches, into: cache, session)
        } catch {
            session.removeIfUnused(cache)
            // What ended then is not the document.
            throw Interruption.isWanted ? TokenCacheError(.cancelled) : error
        }
    }

    private func read(_ caches: [PeerCache], into cache: CacheGroup, _ session: Session) throws {
        var total = ImportReport()
        var found: [String] = []
        var refusal: TokenCacheError?
        for peer in caches {
            do throws(TokenCacheError) {
                total.add(try read(peer, into: cache, session))
                found.append(peer.name)
            } catch {
                // One of several sources: the content of the others still counts.
                guard peer.isKeyringItem, error.code.isAboutKeyring else { throw explained(error, peer) }
                if error.code != .notFound { refusal = error }
            }
        }
        guard !found.isEmpty else { throw refusal.map(unreadable) ?? nothingFound(caches) }
        if let refusal { session.console.warn("the keyring was left out: \(refusal)") }
        ImportOutcome(report: total, sources: found, isOwnFile: caches.count == 1 && !caches[0].isKeyringItem).show(
            session
        )
        for case .path(let path) in caches.map(\.source) {
            guard let permissions = Syscalls.permissionsOfOthers(path) else { continue }
            session.console.warn(
                "other users may have read \(path), whose mode is 0\(String(permissions, radix: 8)); chmod 600 on it keeps it private."
            )
        }
        if total.badCount > 0 {
            let entries = HumanNumber.count(total.badCount, one: "entry", many: "entries")
            let extent = total.counts.total == 0 ? ", all that there are," : ""
            throw CommandFailure(.partial, "\(entries)\(extent) could not be read and stayed out.")
        }
    }

    private func read(
        _ peer: PeerCache,
        into cache: CacheGroup,
        _ session: Session
    ) throws(TokenCacheError) -> ImportReport {
        let progress = ProgressLine("Importing", on: session.console)
        defer { progress.finish() }
        var settings = ImportOptions(
            format: peer.format,
            skipsBadEntries: options.partial,
            replacesNewer: options.replace
        )
        settings.maximumByteCount = options.maxSize.bytes
        return try cache.importEntries(
            from: peer.source(allowingPrompt: session.prompt.isPossible),
            options: settings,
            onProblem: { problem in
                progress.finish()
                session.console.warn("\(peer.name), \(problem)")
            },
            progress: progress.handler
        )
    }

    /// The keyring's error, with the files that would have done instead.
    private func unreadable(_ refusal: TokenCacheError) -> any Error {
        guard let file = options.format.standardFile, file != self.file else { return refusal }
        return CommandFailure(
            ExitStatus(refusal.code),
            "There is no cache in \(file), and in the keyring none was found: \(refusal)"
        )
    }

    private func nothingFound(_ caches: [PeerCache]) -> CommandFailure {
        let locations = caches.map(\.name).joined(separator: "; ")
        return CommandFailure(
            .notFound,
            locations.isEmpty
                ? "No cache of \(options.format.rawValue) is here." : "None of these is here: \(locations)."
        )
    }

    /// Says what is wrong with a document, and with which; other errors are unchanged.
    private func explained(_ error: TokenCacheError, _ peer: PeerCache) -> any Error {
        switch error.code {
        case .malformedDocument where peer.isBlank:
            CommandFailure(.corrupt, "\(peer.name) is empty. Nothing was imported.")
        case .malformedDocument where error.byteOffset == 0:
            CommandFailure(
                .corrupt,
                "\(peer.name) is no cache that --from \(options.format.rawValue) takes (\(error.detail ?? "")). "
                    + "Nothing was imported."
            )
        case .malformedDocument:
            CommandFailure(.corrupt, "\(peer.name): \(error)")
        default:
            error
        }
    }
}

extension TokenCacheError.Code {
    /// Whether the item, or the keyring that contains it, cannot be read now.
    fileprivate var isAboutKeyring: Bool {
        [
            .notFound, .keyringMissing, .keyringLocked, .keyringRefused, .promptDismissed, .promptPending, .timeout,
        ].contains(self)
    }
}
