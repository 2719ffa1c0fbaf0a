// SPDX-License-Identifier: Apache-2.0

import CacheAdministration
import TokenCaching
import ToolInterface

/// The caches of another library that a command reads.
struct PeerCaches {
    let caches: [PeerCache]
    private let format: ImportedFormat
    /// The typed file or name of the caches.
    private let argument: String?
    /// The consequence of an unreadable cache, as a sentence.
    private let consequence: String?

    /// Reads one cache, in the form of the library's calls.
    typealias Read = (
        ImportSource, ImportOptions, _ onProblem: @escaping (ImportProblem) -> Void, @escaping ProgressHandler
    ) throws(TokenCacheError) -> ImportReport

    /// - Parameters:
    ///   - format: the library.
    ///   - argument: a file or a name, depending on the library.
    ///   - item: the attributes of an item, for `--from keyring`.
    ///   - consequence: the consequence of an unreadable cache, as a sentence.
    /// - Throws: ``CommandFailure`` if information about the location is missing.
    init(
        of format: ImportedFormat,
        _ argument: String?,
        _ item: KeyringItemOptions,
        ifUnreadable consequence: String? = nil
    ) throws(CommandFailure) {
        self.format = format
        self.argument = argument
        self.consequence = consequence
        caches = try format.caches(argument, item)
        if isInput { Interruption.beginEndingInput() }
    }

    /// Whether there is only one cache, in the file that the user typed.
    var isOwnFile: Bool { caches.count == 1 && !caches[0].isKeyringItem }

    /// Whether the cache comes from standard input, or another descriptor whose writer may let this program wait.
    private var isInput: Bool {
        caches.contains { if case .descriptor = $0.source { true } else { false } }
    }

    /// Reads the caches that exist.
    ///
    /// - Parameters:
    ///   - activity: the activity to show as progress, such as "Importing".
    ///   - options: the import options; each cache determines its format.
    ///   - session: where to report problems.
    ///   - read: reads one cache.
    /// - Returns: what was read, and the caches that were found.
    /// - Throws: ``CommandFailure`` if there is no cache; the errors of a cache, with its name.
    func read(
        _ activity: String,
        options: ImportOptions,
        session: Session,
        with read: Read
    ) throws -> (report: ImportReport, found: [String]) {
        var total = ImportReport()
        var found: [String] = []
        var refusal: TokenCacheError?
        for peer in caches {
            let progress = ProgressLine(activity, on: session.console)
            defer { progress.finish() }
            var settings = options
            settings.format = peer.format
            do throws(TokenCacheError) {
                let report = try read(
                    peer.source(allowingPrompt: session.prompt.isPossible),
                    settings,
                    { problem in
                        progress.clear()
                        session.console.warn("\(peer.name), \(problem)")
                    },
                    progress.handler
                )
                total.add(report)
                found.append(peer.name)
            } catch {
                // After Ctrl-C, the end of the input is not the end of the document.
                guard !Interruption.isWanted else { throw TokenCacheError(.cancelled) }
                // If there are several sources, the content of the others still counts.
                guard peer.isKeyringItem, error.code.isAboutKeyring else { throw explained(error, peer) }
                if error.code != .notFound { refusal = error }
            }
        }
        guard !found.isEmpty else { throw refusal.map(unreadable) ?? nothingFound }
        if let refusal { session.console.warn("the keyring was skipped: \(refusal)") }
        return (total, found)
    }

    /// The failure of a command that left entries out; nil if it left none out.
    static func failure(leavingOut report: ImportReport) -> CommandFailure? {
        guard report.badCount > 0 else { return nil }
        let entries = HumanNumber.count(report.badCount, one: "entry", many: "entries")
        let extent = report.counts.total == 0 ? " (all of them)" : ""
        let verb = report.badCount == 1 ? "was" : "were"
        return CommandFailure(.partial, "\(entries)\(extent) could not be read and \(verb) omitted.")
    }

    /// The keyring's error, with the file that could have contained the cache instead.
    private func unreadable(_ refusal: TokenCacheError) -> any Error {
        guard let file = format.standardFile, file != argument else { return refusal }
        return CommandFailure(
            ExitStatus(refusal.code),
            "There is no cache in \(file), and none was found in the keyring: \(refusal)"
        )
    }

    private var nothingFound: CommandFailure {
        let locations = caches.map(\.name).joined(separator: "; ")
        return CommandFailure(
            .notFound,
            locations.isEmpty ? "No cache of \(format.rawValue) was found." : "None of these was found: \(locations)."
        )
    }

    /// Explains what is wrong with a document, and names the document; returns other errors unchanged.
    private func explained(_ error: TokenCacheError, _ peer: PeerCache) -> any Error {
        switch error.code {
        case .malformedDocument where peer.isBlank:
            CommandFailure(.corrupt, "\(peer.name) is empty.", advice: consequence)
        case .malformedDocument where error.byteOffset == 0:
            CommandFailure(
                .corrupt,
                "\(peer.name) is not a cache that --from \(format.rawValue) accepts (\(error.detail ?? "")).",
                advice: [consequence, otherLibrary].compactMap(\.self).joined(separator: " ")
            )
        case .malformedDocument:
            CommandFailure(.corrupt, "\(peer.name): \(error)")
        default:
            error
        }
    }

    private var otherLibrary: String {
        let others = ImportedFormat.allCases.filter { $0 != format }.map(\.rawValue).joined(separator: ", ")
        return "If it is a cache of another library, specify that library with --from: \(others)."
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
