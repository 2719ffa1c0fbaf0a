// SPDX-License-Identifier: Apache-2.0

// SAFETY: the result of getenv is copied at once; no code of this package changes the environment. The memory that
// realpath allocates is copied, then freed.

internal import Glibc
internal import SecretServiceStorage
package import SystemPackage

/// Properties of the process and the system: environment variables, and the files that paths lead to.
package enum Environment {
    /// Users set this to 1 if they know that the locks of a network file system reach every machine that uses the
    /// group.
    static let allowsNetworkFileSystem = "TOKEN_CACHE_ALLOW_NETWORK_FS"

    /// HOME, the base folders of the XDG Base Directory Specification, the address of the session bus, and the setting
    /// for network file systems, as far as they are set. No home and no base folders if one of them is not UTF-8, rather
    /// than another folder.
    package static var folders: [String: String] {
        var found: [String: String] = [:]
        let bases = ["HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"]
        var areText = true
        for name in bases + [allowsNetworkFileSystem] + SecretServiceLocation.environmentVariables {
            guard let value = unsafe getenv(name) else { continue }
            found[name] = unsafe String(validatingCString: value)
            if found[name] == nil, bases.contains(name) { areText = false }
        }
        return areText ? found : found.filter { !bases.contains($0.key) }
    }

    /// The folder for the state of the user's programs, as the XDG Base Directory Specification defines it; nil if
    /// neither `XDG_STATE_HOME` nor `HOME` is an absolute path.
    package static func stateFolder(in environment: [String: String] = folders) -> FilePath? {
        if let state = environment["XDG_STATE_HOME"], state.utf8.first == UInt8(ascii: "/") { return FilePath(state) }
        guard let home = environment["HOME"], home.utf8.first == UInt8(ascii: "/") else { return nil }
        return FilePath(home).appending([".local", "state"])
    }

    /// The folder with the credentials that systemd provides to this process; nil if it provides none.
    static var credentialsFolder: String? {
        guard let value = unsafe getenv("CREDENTIALS_DIRECTORY") else { return nil }
        return unsafe String(validatingCString: value)
    }

    /// The kind of file at the end of a path, following links.
    package enum FileKind {
        case missing, regular, folder, other
    }

    /// The kind of file at `path`. A dangling link counts as missing.
    package static func kind(ofFileAt path: String) -> FileKind {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return .missing }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return .regular
        case S_IFDIR: return .folder
        default: return .other
        }
    }

    /// The path without links; nil if it leads nowhere.
    package static func resolved(_ path: String) -> String? {
        guard let text = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(text) }
        return unsafe String(validatingCString: text)
    }
}
