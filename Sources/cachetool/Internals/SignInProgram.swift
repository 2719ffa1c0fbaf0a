// SPDX-License-Identifier: Apache-2.0

import ToolInterface

/// The program that sends requests to authorization servers. It is separate, so that cachetool links no networking
/// code.
enum SignInProgram {
    private static let name = "cachetool-sign-in"

    /// Replaces this program with it, with the same arguments: the program in the same folder, or else the one on PATH.
    ///
    /// - Throws: ``CommandFailure`` if it is not found or cannot be started.
    static func takeOver() throws(CommandFailure) -> Never {
        let arguments = try CommandArguments.all()
        for folder in ([Syscalls.folderOfProgram] + Syscalls.absoluteSearchPath).compactMap(\.self) {
            let path = folder + "/" + name
            guard Syscalls.isExecutable(path) else { continue }
            let problem = Syscalls.execute(path, [name] + arguments)
            throw CommandFailure(.failure, "\(path) cannot be started: \(Syscalls.message(for: problem)).")
        }
        throw CommandFailure(
            .failure,
            "\(name) is neither in the folder of cachetool nor on PATH, and is needed to contact an authority. Install it with "
                + "scripts/install of swift-token-cache, or build it with swift build --traits SignIn --product \(name), "
                + "and put it there."
        )
    }
}
