// SPDX-License-Identifier: Apache-2.0

import CacheAdministration
import TokenCaching
import ToolInterface

/// A possible location of another library's cache.
struct PeerCache {
    /// The name of the location in messages.
    let name: String
    let source: ImportSource
    var format = ImportFormat.msal

    var isKeyringItem: Bool {
        if case .keyring = source { true } else { false }
    }

    /// Whether it is an empty file.
    var isBlank: Bool {
        if case .path(let path) = source { Syscalls.isBlank(path) } else { false }
    }

    /// The source. If it is in the keyring, the user may be prompted to unlock the keyring.
    func source(allowingPrompt: Bool) -> ImportSource {
        guard case .keyring(var item) = source else { return source }
        item.allowsPrompt = allowingPrompt
        return .keyring(item)
    }

    static func item(_ name: String, _ item: PeerKeyringItem) -> PeerCache {
        PeerCache(name: name + " in the keyring", source: .keyring(item))
    }

    /// A file that may contain JSON, or that this user may not read. Other files are ignored: libraries that use the
    /// keyring keep a file of that name only as a change signal, or encrypt it.
    static func file(_ path: String, format: ImportFormat = .msal) -> PeerCache? {
        guard Syscalls.beginsWithBracket(path) || Syscalls.isUnreadable(path) else { return nil }
        return PeerCache(name: path, source: .path(path), format: format)
    }
}

extension ImportedFormat {
    /// The file in which the library keeps its cache; nil if the location depends on the program.
    var standardFile: String? {
        switch self {
        case .azureCLI: PeerFolder.azureCLI.path + "/msal_token_cache.json"
        case .gitCredentialManager: PeerFolder.gitCredentialManager.path + "/msal.cache"
        default: nil
        }
    }

    /// The possible locations of a library's caches, in the order in which they are read.
    ///
    /// - Parameters:
    ///   - argument: the argument after the options: a file or a name, depending on the library.
    ///   - item: the attributes of an item, for `--from keyring`.
    /// - Returns: the items, and the files that exist.
    /// - Throws: ``CommandFailure`` if information about the location is missing.
    func caches(_ argument: String?, _ item: KeyringItemOptions) throws(CommandFailure) -> [PeerCache] {
        if self != .keyring, item.isGiven {
            throw CommandFailure(.usage, "--schema and --attribute describe an item: use them with --from keyring.")
        }
        switch self {
        case .msal, .adal:
            return [try named(argument, format: self == .adal ? .adal : .msal)]
        case .azureCLI:
            guard argument == nil else {
                let isMSAL = argument.map { Syscalls.beginsWithBracket($0, "{") } ?? false
                return [try named(argument, format: isMSAL ? .msal : .adal)]
            }
            let items: [PeerCache] = [
                .item("the Azure CLI's cache", .azureCLI),
                .item("the cache of newer Azure CLIs", .newerAzureCLI),
            ]
            let folder = PeerFolder.azureCLI.path
            let file = PeerCache.file(folder + "/msal_token_cache.json")
            let olderPath = Syscalls.environment("AZURE_ACCESS_TOKEN_FILE") ?? folder + "/accessTokens.json"
            let older = PeerCache.file(olderPath, format: .adal)
            return (file.map { [$0] } ?? []) + items + (older.map { [$0] } ?? [])
        case .msalExtensions:
            guard let argument else {
                throw CommandFailure(
                    .usage,
                    "Pass the path of the file exactly as the program passes it to msal-extensions."
                )
            }
            return [.item("the item for \(argument)", .msalExtensions(path: argument))]
                + [.file(argument)].compactMap(\.self)
        case .azureIdentity: return azureIdentity(argument ?? "msal.cache")
        case .gitCredentialManager:
            return [
                .item("the cache for users", .azureIdentityForDotNet),
                .item("the cache for applications", .gitCredentialManager),
            ] + [.file(PeerFolder.gitCredentialManager.path + "/msal.cache")].compactMap(\.self)
        case .keytar:
            let parts = (argument ?? "").split(separator: "/", maxSplits: 1).map(String.init)
            guard parts.count == 2 else {
                throw CommandFailure(.usage, "Name the item as SERVICE/ACCOUNT.")
            }
            return [.item("\(parts[0])/\(parts[1])", .keytar(service: parts[0], account: parts[1]))]
        case .keyring: return [.item("the item", try item.item())]
        }
    }

    private func azureIdentity(_ name: String) -> [PeerCache] {
        let files = [PeerFolder.azureIdentity, .azureIdentityForDotNet].flatMap { folder in
            ["", ".nocae", ".cae"].compactMap { PeerCache.file(folder.path + "/" + name + $0) }
        }
        return [
            .item("\(name) of Python", .azureIdentityForPython(name: name)),
            .item(
                "\(name) of Python, for continuous access evaluation",
                .azureIdentityForPython(name: name, isCAE: true)
            ),
            .item("the cache of .NET", .azureIdentityForDotNet),
            .item("the cache of Java", .azureIdentityForJava),
            .item("the cache of JavaScript", .azureIdentityForJavaScript),
        ] + files
    }

    /// A file that must exist, or standard input.
    private func named(_ path: String?, format: ImportFormat) throws(CommandFailure) -> PeerCache {
        guard let path else { throw CommandFailure(.usage, "Name the file, or - for standard input.") }
        if path == "-" { return PeerCache(name: "standard input", source: .descriptor(0), format: format) }
        if let failure = CommandFailure.ofMissingFile(at: try CallersPath.folder(path)) { throw failure }
        guard !Syscalls.exists(path + "/.") else {
            throw CommandFailure(.usage, "\(path) is a folder. Name the file in it that holds the cache.")
        }
        guard !Syscalls.isRegularFile(path) else { return PeerCache(name: path, source: .path(path), format: format) }
        // Open a FIFO now, while a signal still ends the program, because its writer may never come.
        let descriptor = Syscalls.openForReading(path)
        guard descriptor >= 0 else { throw CommandFailure.cannotOpen(path, -descriptor) }
        Interruption.addInput(descriptor)
        return PeerCache(name: path, source: .descriptor(descriptor), format: format)
    }
}
