// SPDX-License-Identifier: Apache-2.0

// SAFETY: the result of getenv is copied at once; no code of this package changes the environment.

#if SignIn
internal import Glibc
internal import GroupDirectory
internal import RecordStorage
internal import SystemPackage
internal import TokenCaching

/// The folder that contains the sockets of a user's processes that wait for a redirect.
enum RedirectFolder {
    /// Opens the folder; creates it if it is missing and `creates` is true. Other users can neither enter nor replace
    /// it.
    static func open(creates: Bool) throws(StorageError) -> PrivateFolder {
        try PrivateFolder.open(base().appending(["swift-token-cache", "redirects"]), creates: creates)
    }

    /// The runtime folder of the user's session; without a session, the folder in which the user's programs keep their
    /// state. Programs that a desktop starts do not always have `XDG_RUNTIME_DIR`.
    private static func base() throws(StorageError) -> FilePath {
        if let text = unsafe getenv("XDG_RUNTIME_DIR") {
            let path = unsafe String(cString: text)
            if path.hasPrefix("/") { return FilePath(path) }
        }
        let session = "/run/user/\(geteuid())"
        if Environment.kind(ofFileAt: session) == .folder { return FilePath(session) }
        if let state = Environment.stateFolder() { return state }
        throw StorageError(.homeMissing, detail: "none of XDG_RUNTIME_DIR, XDG_STATE_HOME and HOME is an absolute path")
    }
}
#endif
