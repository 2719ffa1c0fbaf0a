// SPDX-License-Identifier: Apache-2.0

internal import SystemPackage

/// Owns the descriptor of a folder and remembers its path.
final class FolderHandle: Sendable {
    let descriptor: FileDescriptor
    /// The path as a string, because paths are built more often than parsed. Only the root ends with a slash.
    private let text: String
    /// Its name in the parent folder; empty for the root.
    let name: String

    /// The root folder.
    init(top descriptor: FileDescriptor) {
        self.descriptor = descriptor
        text = "/"
        name = ""
    }

    /// A folder in `parent`.
    init(_ descriptor: FileDescriptor, in parent: FolderHandle, name: String) {
        self.descriptor = descriptor
        text = parent.path(of: name)
        self.name = name
    }

    var path: FilePath { FilePath(text) }

    deinit {
        Syscalls.close(descriptor)
    }

    /// The path of a file in the folder, for errors.
    func path(of name: String) -> String {
        text == "/" ? text + name : text + "/" + name
    }
}
