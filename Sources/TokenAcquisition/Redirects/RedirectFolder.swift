// SPDX-License-Identifier: Apache-2.0

// SAFETY: the result of getenv is copied at once; no code of this package changes the environment.

#if SignIn
internal import Glibc
internal import GroupDirectory
internal import RecordStorage
internal import SystemPackage
internal import TokenCaching

/// The folder in which processes of a user that wait for a redirect have their sockets.
enum RedirectFolder {
    /// Opens it, or creates it if that is wanted and it is missing. No other user can enter it, or exchange it.
    static func open(creates: Bool) throws(StorageError) -> PrivateFolder {
        try PrivateFolder.open(base().appending(["swift-token-cache", "redirects"]), creates: creates)
    }

    /// Where the user's session has what does not outlive it; without a session, where the user's programs keep their
    /// state. Programs that a desktop starts do not always have the variable.
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
