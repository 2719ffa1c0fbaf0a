// SPDX-License-Identifier: Apache-2.0

/// What calls to the system do to files and folders, each named by its path.
enum FileChange: Equatable {
    /// Content or size of a file changed.
    case write(String)
    /// A file or folder was made, by this name.
    case make(String)
    /// A file got another name.
    case rename(String, to: String)
    /// A name was taken away.
    case remove(String)
    /// A file, or the names in a folder, were made durable.
    case sync(String)
    /// The program said something on its standard output.
    case say
    /// The program ended with this status.
    case end(Int)
}

/// Reads what the calls of one process do: knows which path each of its descriptors stands for.
struct FileChanges {
    /// Standard output is what the program says.
    private var paths: [Int: String] = [:]
    private let currentFolder: String

    /// A writer that has synced a transaction leaves a mark of this length behind it. Nothing rests on a mark that is lost.
    /// Frames and erased boxes are longer.
    private static let markByteCount = 16

    init(currentFolder: String) {
        self.currentFolder = currentFolder
    }

    /// What a call does to files, if anything; takes note of descriptors that it opens and closes.
    mutating func change(by call: SystemCall) -> FileChange? {
        let descriptors = call.descriptors
        switch call.name {
        case "open", "openat", "openat2", "creat":
            return opened(call)
        case "dup", "dup2", "dup3", "fcntl":
            if call.name != "fcntl" || call.arguments.contains("F_DUPFD"), let new = call.result, new >= 0 {
                paths[new] = path(of: descriptors.first)
            }
            return nil
        case "close":
            if let number = descriptors.first ?? nil { paths[number] = nil }
            return nil
        case "write" where descriptors.first == 1 && paths[1] == nil:
            return .say
        case "pwrite64" where isMark(byteCount: call.result, descriptors.first):
            return nil
        case "write", "writev", "pwrite64", "pwritev", "pwritev2", "ftruncate", "fallocate":
            return path(of: descriptors.first).map(FileChange.write)
        case "fsync", "fdatasync":
            return path(of: descriptors.first).map(FileChange.sync)
        case "mkdir", "mkdirat":
            return resolved(call, 0).map(FileChange.make)
        case "unlink", "unlinkat", "rmdir":
            return resolved(call, 0).map(FileChange.remove)
        case "link", "linkat":
            return resolved(call, 1).map(FileChange.make)
        case "rename", "renameat", "renameat2":
            guard let old = resolved(call, 0), let new = resolved(call, 1) else { return nil }
            for (number, path) in paths where path == old { paths[number] = new }
            return .rename(old, to: new)
        case "exit_group":
            return .end(descriptors.first.flatMap { $0 } ?? 0)
        default:
            return nil
        }
    }

    private mutating func opened(_ call: SystemCall) -> FileChange? {
        guard let path = resolved(call, 0), let number = call.result, number >= 0 else { return nil }
        paths[number] = path
        let flags = call.arguments.split(separator: "\"").last ?? ""
        return flags.contains("O_CREAT") && flags.contains("O_EXCL") ? .make(path) : nil
    }

    /// The path that a name in the call stands for: below the folder whose number stands before it.
    private func resolved(_ call: SystemCall, _ index: Int) -> String? {
        let names = call.names
        guard index < names.count else { return nil }
        let takesFolders = call.name.hasSuffix("at") || call.name.hasSuffix("at2")
        var folder: String? = currentFolder
        if takesFolders, index < call.descriptors.count, let number = call.descriptors[index] { folder = paths[number] }
        return folder.map { Self.path(names[index], in: $0) }
    }

    private func isMark(byteCount: Int?, _ descriptor: Int??) -> Bool {
        byteCount == Self.markByteCount && path(of: descriptor)?.hasSuffix("/journal") == true
    }

    private func path(of descriptor: Int??) -> String? {
        guard let number = descriptor ?? nil else { return nil }
        return paths[number]
    }

    private static func path(_ name: String, in folder: String) -> String {
        var parts = name.hasPrefix("/") ? [] : folder.split(separator: "/")
        for part in name.split(separator: "/") where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        return "/" + parts.joined(separator: "/")
    }
}
