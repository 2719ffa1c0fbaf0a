// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The few things that are done to files, without a word where they fail: what is not there cannot be spoiled.
enum Disk {
    enum Kind {
        case folder
        case file(byteCount: Int)
        case other
    }

    static func names(in folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    }

    static func kind(of path: String) -> Kind? {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return nil }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: return .folder
        case S_IFREG: return .file(byteCount: Int(status.st_size))
        default: return .other
        }
    }

    /// The first 8 MiB of a file.
    static func read(_ path: String) -> [UInt8]? {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var status = stat()
        guard unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        let wanted = min(Int(status.st_size), 8 << 20)
        return unsafe [UInt8](unsafeUninitializedCapacity: wanted) { room, count in
            // SAFETY: the room is as long as is said.
            unsafe count = max(Glibc.read(file, room.baseAddress, wanted), 0)
        }
    }

    static func makeFolder(_ path: String) { _ = unsafe mkdir(path, 0o700) }

    /// Writes into the file that is there, as `cp` and `rsync --inplace` do, or into a new one.
    static func write(_ bytes: [UInt8], to path: String, keepsLength: Bool = false) {
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW, 0o600)
        guard file >= 0 else { return }
        defer { close(file) }
        // SAFETY: the buffer outlives the call.
        _ = unsafe bytes.withUnsafeBytes { unsafe pwrite(file, $0.baseAddress, $0.count, 0) }
        if !keepsLength { ftruncate(file, bytes.count) }
    }

    /// Puts a new file in the place of the one that is there.
    static func replace(_ path: String, with bytes: [UInt8]) {
        let new = path + ".new"
        write(bytes, to: new)
        _ = unsafe rename(new, path)
    }

    /// Changes the length of a file, and of none that a link there leads to.
    static func setLength(_ byteCount: Int, of path: String) {
        let file = unsafe open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
        guard file >= 0 else { return }
        ftruncate(file, byteCount)
        close(file)
    }

    static func remove(_ path: String) { try? FileManager.default.removeItem(atPath: path) }
}

extension Disk {
    /// The same, whatever is there.
    static func replaceAnything(_ path: String, with bytes: [UInt8]) {
        remove(path)
        write(bytes, to: path)
    }

    /// Puts something where a file was.
    static func plant(_ kind: String, at path: String, old: [UInt8], beside: String) {
        switch kind {
        case "an empty folder": makeFolder(path)
        case "a pipe": _ = unsafe mkfifo(path, 0o600)
        case "a link to the group beside":
            _ = unsafe symlink(beside + "/" + (path.split(separator: "/").last.map(String.init) ?? ""), path)
        case "a file for all":
            write(old, to: path)
            _ = unsafe chmod(path, 0o644)
        default: break
        }
    }
}
