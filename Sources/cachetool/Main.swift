// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CacheAdministration
import ToolInterface

/// The entry point of the program.
@main
enum Main {
    static func main() {
        CallersDescriptors.fillClosed()
        // From here on a crash leaves no core dump and prints no memory.
        ProcessHardening.apply()
        Syscalls.ignoreSignalsOfWrites()
        do {
            let arguments = try CommandArguments.all()
            try TypedCommand.check(arguments)
            var command = try Cachetool.parseAsRoot(ProfiledArguments.expanded(arguments, of: Cachetool.self))
            try command.run()
            Syscalls.exitNow(ExitStatus.success.rawValue)
        } catch {
            Syscalls.exitNow(ErrorReporter.exitCode(for: error, in: Cachetool.self))
        }
    }
}
