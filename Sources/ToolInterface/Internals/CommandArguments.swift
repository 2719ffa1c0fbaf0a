// SPDX-License-Identifier: Apache-2.0

// SAFETY: the arguments are C strings of the kernel that live as long as the process; indices are below their number.

import CProgramStart

/// The command line of this program, which does not depend on /proc.
public enum CommandArguments {
    /// The arguments, without the name of the program.
    ///
    /// - Throws: ``CommandFailure`` if one of them is not UTF-8, because a repaired path would be that of another file, or
    ///   an option without a value, as in `--account=`.
    public static func all() throws(CommandFailure) -> [String] {
        var arguments: [String] = []
        for index in (0..<program_argument_count()).dropFirst() {
            guard let argument = unsafe String(validatingCString: program_argument(index)) else {
                throw CommandFailure(
                    .usage,
                    "Argument \(index) is not UTF-8, as every name and path here has to be. Rename what it names."
                )
            }
            arguments.append(argument)
        }
        // As of an unset variable of a shell. The parser would take the hyphens as the value.
        if let end = arguments.firstIndex(of: "--"), end > 0, unconditional.contains(arguments[end - 1]) {
            throw CommandFailure(.usage, "\(arguments[end - 1]) is empty. Give it a value, or omit it.")
        }
        // The parser would take the next argument as the value.
        for option in arguments.prefix(while: { $0 != "--" })
        where option.hasPrefix("--") && option.firstIndex(of: "=") == option.indices.last {
            throw CommandFailure(.usage, "\(option.dropLast()) is empty. Give it a value, or omit it.")
        }
        return arguments
    }

    /// Options whose values may begin with hyphens.
    private static let unconditional = ["--account", "--client", "--login-hint"]

    /// The words before a double hyphen, if words of another command follow it; nil if none do.
    static var wordsBeforeCommand: [String]? {
        let arguments = (0..<program_argument_count()).dropFirst().map { unsafe String(cString: program_argument($0)) }
        guard let end = arguments.firstIndex(of: "--"), end < arguments.endIndex - 1 else { return nil }
        return Array(arguments[..<end])
    }

    /// The path that the program was started with, which may be relative, or lead through links.
    static var programPath: String? {
        guard let path = unsafe program_path() else { return nil }
        return unsafe String(cString: path)
    }
}
