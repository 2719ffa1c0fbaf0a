internal import SystemPackage

/// Owns the descriptor of a folder and remembers how people call it.
final class FolderHandle: Sendable {
    let descriptor: FileDescriptor
    let path: FilePath

    init(_ descriptor: FileDescriptor, path: FilePath) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit {
        Syscalls.close(descriptor)
    }

    /// The path of something in it, for errors.
    func path(of name: String) -> String {
        path.appending(name).string
    }
}
