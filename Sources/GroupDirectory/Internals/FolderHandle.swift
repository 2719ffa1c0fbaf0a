internal import SystemPackage

/// Owns the descriptor of a folder and remembers how people call it.
final class FolderHandle: Sendable {
    let descriptor: FileDescriptor
    /// Text, as paths are put together more often than they are taken apart. No slash is at its end but the top's own.
    private let text: String
    /// Its name in the folder that it was opened in; empty for the top.
    let name: String

    /// The top.
    init(top descriptor: FileDescriptor) {
        self.descriptor = descriptor
        text = "/"
        name = ""
    }

    /// A folder in another one.
    init(_ descriptor: FileDescriptor, in parent: FolderHandle, name: String) {
        self.descriptor = descriptor
        text = parent.path(of: name)
        self.name = name
    }

    var path: FilePath { FilePath(text) }

    deinit {
        Syscalls.close(descriptor)
    }

    /// The path of something in it, for errors.
    func path(of name: String) -> String {
        text == "/" ? text + name : text + "/" + name
    }
}
