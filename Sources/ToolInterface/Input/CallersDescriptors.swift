// SPDX-License-Identifier: Apache-2.0

// SAFETY: paths are C strings for the duration of one call.

import Glibc
import Synchronization

/// The descriptors that the caller opened for this program. Only these can be named on the command line: any other number
/// is soon that of a file or a socket of the program.
public enum CallersDescriptors {
    /// The closed ones of standard input, output and error, as bits.
    private static let filled = Atomic<UInt8>(0)

    /// Opens `/dev/null` for each of standard input, output and error that is closed, so that the output of the program
    /// does not reach a file that it opens. Call it before anything opens a file.
    public static func fillClosed() {
        for number: Int32 in 0...2 where fcntl(number, F_GETFD) < 0 {
            // SAFETY: open reads a literal path.
            // A program that is started in place of this one finds them closed again. Without /dev, such a descriptor can be
            // neither read nor written.
            if unsafe open("/dev/null", O_RDWR | O_CLOEXEC) < 0 { _ = unsafe open("/", O_RDONLY | O_CLOEXEC) }
            filled.bitwiseOr(1 << UInt8(number), ordering: .relaxed)
        }
    }

    /// Whether the caller opened a descriptor. Only valid while the command line is parsed, because files of the program
    /// are open later.
    static func contains(_ number: Int32) -> Bool {
        let isFilled = (0...2).contains(number) && filled.load(ordering: .relaxed) & 1 << UInt8(number) != 0
        return !isFilled && fcntl(number, F_GETFD) >= 0
    }
}

/// A descriptor that the caller opened, as typed. It is checked and duplicated while the command line is parsed, so that
/// nothing can take its number.
public struct CallersDescriptor: Hashable, Sendable {
    /// The number that was typed.
    public let number: Int32
    /// The descriptor to use. Programs that this one starts do not inherit it.
    public let duplicate: Int32
    /// The option that it was typed for.
    let option: String

    init(typed text: String, for option: String = "--passphrase-fd") throws(CommandFailure) {
        guard let number = Int32(text), number >= 0 else {
            throw CommandFailure(.usage, "\(text) is not the number of a descriptor, such as 3 in 3<FILE.")
        }
        self.number = number
        self.option = option
        guard CallersDescriptors.contains(number), case let copy = fcntl(number, F_DUPFD_CLOEXEC, 3), copy >= 0 else {
            throw CallersDescriptor.notOpen(number, example: "\(option) 3 3<FILE")
        }
        duplicate = copy
        Interruption.addInput(copy)
    }

    fileprivate static func notOpen(_ number: Int32, example: String) -> CommandFailure {
        let name =
            switch number {
            case 0: "Standard input"
            case 1: "Standard output"
            case 2: "Standard error"
            default: "Descriptor \(number)"
            }
        return CommandFailure(.usage, "\(name) is not open. Open it for cachetool, as in \(example).")
    }
}

/// Paths on the command line.
public enum CallersPath {
    /// Returns a path unchanged, unless it stands for a descriptor that the caller did not open.
    public static func input(_ path: String) throws(CommandFailure) -> String { try checked(folder(path), standard: 0) }

    /// The same for a cache of another library, which some libraries name by a text in place of a path.
    public static func cache(_ name: String) throws(CommandFailure) -> String { try checked(name, standard: 0) }

    /// The same for a path to write to, where a hyphen is standard output.
    public static func output(_ path: String) throws(CommandFailure) -> String {
        try checked(folder(path), standard: 1)
    }

    /// Returns a path unchanged, unless it begins with a tilde that the shell should have replaced.
    public static func folder(_ path: String) throws(CommandFailure) -> String {
        guard path != "~", !path.hasPrefix("~/") else {
            throw CommandFailure(
                .usage,
                "The shell left \(path) as it is. Write $HOME\(path.dropFirst()), or ./\(path) for a folder called ~ here."
            )
        }
        return path
    }

    /// The path from the root of the file system, without links; the path itself if it leads nowhere.
    public static func absolute(_ path: String) -> String {
        guard let pointer = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(pointer) }
        return unsafe String(cString: pointer)
    }

    private static func checked(_ path: String, standard: Int32) throws(CommandFailure) -> String {
        if let number = descriptor(of: path, standard: standard), !CallersDescriptors.contains(number) {
            throw CallersDescriptor.notOpen(number, example: "\(number)\(standard == 0 ? "<" : ">")FILE")
        }
        return path
    }

    private static func descriptor(of path: String, standard: Int32) -> Int32? {
        switch path {
        case "-": return standard
        case "/dev/stdin": return 0
        case "/dev/stdout": return 1
        case "/dev/stderr": return 2
        default:
            let folders = ["/dev/fd/", "/proc/self/fd/", "/proc/thread-self/fd/", "/proc/\(getpid())/fd/"]
            return folders.first(where: path.hasPrefix).flatMap { Int32(path.dropFirst($0.count)) }
        }
    }
}
