// SPDX-License-Identifier: Apache-2.0

// SAFETY: the arguments are C strings of the kernel that live as long as the process; indices are below their number.

import CProgramStart

/// The command line of this program, which does not depend on /proc.
public enum CommandArguments {
    /// The arguments, without the name of the program.
    public static let all: [String] = (0..<program_argument_count()).dropFirst().map { index in
        unsafe String(cString: program_argument(index))
    }

    /// The path that the program was started with, which may be relative, or lead through links.
    static var programPath: String? {
        guard let path = unsafe program_path() else { return nil }
        return unsafe String(cString: path)
    }
}
