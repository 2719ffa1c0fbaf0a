// SPDX-License-Identifier: Apache-2.0

import ToolInterface

/// The program that talks to authorization servers. It is one of its own, so that cachetool links nothing of the network.
enum SignInProgram {
    private static let name = "cachetool-sign-in"

    /// Has it take the place of this one, with the same arguments: the one beside this one, otherwise the one on PATH.
    ///
    /// - Throws: ``CommandFailure`` if there is none.
    static func takeOver() throws(CommandFailure) -> Never {
        for folder in ([Syscalls.folderOfProgram] + Syscalls.absoluteSearchPath).compactMap(\.self) {
            let path = folder + "/" + name
            guard Syscalls.isExecutable(path) else { continue }
            let problem = Syscalls.execute(path, [name] + CommandLine.arguments.dropFirst())
            throw CommandFailure(.failure, "\(path) cannot be started: \(Syscalls.message(for: problem)).")
        }
        throw CommandFailure(
            .failure,
            "\(name) is neither beside cachetool nor on PATH, and only it can ask an authority. Install it with "
                + "scripts/install of swift-token-cache, or build it with swift build --traits SignIn --product \(name), "
                + "and put it there."
        )
    }
}
