// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CacheAdministration
import TokenCaching
import ToolInterface

/// `cachetool import`
struct ImportCommand: GroupCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import the cache of an MSAL or ADAL library into a group.",
        discussion: """
            Reads the JSON that MSAL for Python, Go, Java, Node and .NET writes. The group is created if it does not \
            exist yet. Nothing is lost: unknown fields, entries and sections are kept and exported again as they were.

            --from azure-cli, azure-identity (with the name of a cache, if it has one), git-credential-manager, \
            msal-extensions (with the path that the program gives it) and keytar (with SERVICE/ACCOUNT) look in \
            the places where those programs keep their caches: the keyring, and files that are not encrypted. \
            --from keyring reads any keyring item. None of these sources is changed.

            --from adal (or azure-cli with the file) reads accessTokens.json, which ADAL for Python and the Azure CLI \
            before 2.30 wrote. Its accounts are found by username, and its refresh tokens are redeemed where the group \
            has no other; its access tokens are not handed out, and none of it is exported.

            An older entry does not replace a newer one, and signed-out accounts stay signed out, unless you \
            use --replace. If the file has bad entries, nothing is imported and all bad entries are listed; with \
            --partial they are skipped instead, and the exit status is 9. The file itself is not deleted: remove it once you no longer need it.

            What a library got from a group, edited and wants to write back is no document to import: an import takes \
            renewed refresh tokens for older ones, and sees no removal. Programs merge such documents instead \
            (CacheGroup.document of the library CacheAdministration).

            EXAMPLES:
              cachetool import ~/.azure/msal_token_cache.json
              cachetool import --from azure-cli ~/.azure/accessTokens.json
              cachetool import --from git-credential-manager
              decrypt cache.bin | cachetool import --group work -
            """
    )

    @Argument(
        help: ArgumentHelp("The file, or - for standard input; a name for some libraries.", valueName: "file"),
        completion: .file(),
        transform: CallersPath.cache
    )
    var file: String?

    @OptionGroup(title: "Import options") var options: ImportOptionGroup
    @OptionGroup(title: "Group options") var group: GroupOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func perform(in session: Session) throws {
        if group.storage == .memory {
            throw CommandFailure(
                .usage,
                "Nothing would be kept: a group in memory is gone when the command ends. Omit --storage memory."
            )
        }
        if file == "-" && group.keys.passphraseFd?.number == 0 {
            throw CommandFailure(
                .usage,
                "Standard input cannot be both the file and the passphrase: use --passphrase-fd 3."
            )
        }
        if file == "-" && Syscalls.isTerminal(0) {
            session.console.remark("Reading from the terminal; end with Ctrl-D.")
        }
        // Created before a group, so that Ctrl-C while waiting for the input leaves no group behind.
        let caches = try PeerCaches(
            of: options.format,
            file,
            options.item,
            ifUnreadable: "Nothing was imported."
        )
        let cache: CacheGroup
        do throws(TokenCacheError) {
            cache = try session.openOrCreate()
        } catch {
            // A group that would be created cannot be missing.
            throw error.code == .notFound ? error : session.explained(error)
        }
        defer { cache.close() }
        do {
            try read(caches, into: cache, session)
        } catch {
            _ = try? cache.removeIfUnused()
            // After Ctrl-C, the end of the input is not the end of the document.
            throw Interruption.isWanted ? TokenCacheError(.cancelled) : error
        }
    }

    private func read(_ caches: PeerCaches, into cache: CacheGroup, _ session: Session) throws {
        var settings = ImportOptions(skipsBadEntries: options.partial, replacesNewer: options.replace)
        settings.maximumByteCount = options.maxSize.bytes
        let (report, found) = try caches.read("Importing", options: settings, session: session) {
            (source, options, onProblem, progress) throws(TokenCacheError) in
            try cache.importEntries(from: source, options: options, onProblem: onProblem, progress: progress)
        }
        let outcome = ImportOutcome(report: report, sources: found, isOwnFile: caches.isOwnFile)
        outcome.show(session)
        for case .path(let path) in caches.caches.map(\.source) {
            guard let permissions = Syscalls.permissionsOfOthers(path) else { continue }
            session.console.warn(
                "other users may have read \(path), whose mode is 0\(String(permissions, radix: 8)); chmod 600 on it keeps it private."
            )
        }
        if let failure = PeerCaches.failure(leavingOut: report) ?? outcome.failure { throw failure }
    }
}

/// The entries that `cachetool import` imports and skips.
struct ImportOptionGroup: ParsableArguments {
    @Option(
        name: .customLong("from"),
        help: ArgumentHelp("The library or program whose cache to import.", valueName: "library")
    )
    var format = ImportedFormat.msal

    @OptionGroup var item: KeyringItemOptions

    @Flag(help: "Skip bad entries instead of refusing the file.")
    var partial = false

    @Flag(help: "Replace newer entries too, and undo sign-outs.")
    var replace = false

    @Option(help: ArgumentHelp("Refuse a file larger than this, such as 64M or 4G.", valueName: "size"))
    var maxSize = ByteSize.standardImport
}
