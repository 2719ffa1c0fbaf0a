// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CacheAdministration
import ToolInterface

/// The entry point of the program.
@main
enum Main {
    static func main() async {
        CallersDescriptors.fillClosed()
        // From here on a crash leaves no core dump and prints no memory.
        ProcessHardening.apply()
        Syscalls.ignoreSignalsOfWrites()
        do {
            let arguments = try ProfiledArguments.expanded(CommandArguments.all(), of: SignInTool.self)
            var command = try SignInTool.parseAsRoot(arguments)
            if let command = command as? any NetworkCommand {
                try await command.start()
            } else if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            Syscalls.exitNow(ExitStatus.success.rawValue)
        } catch {
            Syscalls.exitNow(ErrorReporter.exitCode(for: error, in: SignInTool.self))
        }
    }
}
