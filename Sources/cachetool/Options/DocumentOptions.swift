// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CacheAdministration
import TokenCaching
import ToolInterface

/// Selects another library's cache to show instead of a group.
struct DocumentOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Show this cache instead of a group: the JSON of MSAL or ADAL, or - for standard input; with --from, the "
                + "same argument as for import.",
            valueName: "file"
        ),
        completion: .file(),
        transform: CallersPath.cache
    )
    var file: String?

    @Option(
        name: .customLong("from"),
        help: ArgumentHelp(
            "Show the cache of this library instead of a group, from where import finds it.",
            valueName: "library"
        )
    )
    var format: ImportedFormat?

    @OptionGroup var item: KeyringItemOptions

    private var isGiven: Bool { file != nil || format != nil || item.isGiven }

    /// Opens the group, or reads the cache that the options name into memory.
    ///
    /// - Throws: ``CommandFailure`` if the options name both; the errors of the group or of the cache.
    func open(or group: GroupOptions, _ session: Session) throws -> ShownCache {
        guard isGiven else { return ShownCache(cache: try session.open(.readOnly), groupName: session.groupName) }
        if let option = group.givenOption {
            throw CommandFailure(
                .usage,
                "\(option) selects a group, and \(givenOption) another library's cache: use only one of them."
            )
        }
        let caches = try PeerCaches(of: format ?? detectedFormat, file, item)
        session.shownDocument = words
        let reader = try PeerCacheReader(timeout: group.timeout.duration)
        var options = ImportOptions(skipsBadEntries: true)
        options.maximumByteCount = ByteSize.standardImport.bytes
        let (report, _) = try caches.read("Reading", options: options, session: session) {
            (source, options, onProblem, progress) throws(TokenCacheError) in
            try reader.read(source, options: options, onProblem: onProblem, progress: progress)
        }
        return ShownCache(cache: try reader.group(), groupName: nil, failure: PeerCaches.failure(leavingOut: report))
    }

    /// ADAL's document is an array, that of other libraries an object.
    private var detectedFormat: ImportedFormat {
        guard let file else { return .keyring }
        return Syscalls.beginsWithBracket(file, "[") ? .adal : .msal
    }

    private var givenOption: String {
        file != nil ? "--file" : format != nil ? "--from" : item.schema != nil ? "--schema" : "--attribute"
    }

    /// The options as typed, for another command on the same cache.
    private var words: String {
        var words: [String] = []
        if let format { words += ["--from", format.rawValue] }
        if let file { words += ["--file", AdvisedCommands.shellWord(file)] }
        if let schema = item.schema { words += ["--schema", AdvisedCommands.shellWord(schema)] }
        for attribute in item.attribute { words += ["--attribute", AdvisedCommands.shellWord(attribute)] }
        return words.joined(separator: " ")
    }
}

/// The group, or another library's cache, that a command shows.
struct ShownCache {
    let cache: CacheGroup
    /// The name of the group; nil for the cache of another library.
    let groupName: String?
    /// The reason that a part of the cache is not shown.
    var failure: CommandFailure?

    /// Ends the command with an error if something could not be shown.
    func finish() throws {
        if let failure { throw failure }
    }
}
