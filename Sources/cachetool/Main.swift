import ArgumentParser
import Sealing

/// Where the program begins.
@main
enum Main {
    static func main() {
        // First of all: from here on a crash leaves no core and prints no memory.
        Hardening.apply()
        Syscalls.ignoreBrokenPipes()
        do {
            let arguments = Array(CommandLine.arguments.dropFirst())
            if let command = QuickArguments.command(arguments) {
                try command.run()
            } else {
                try Cachetool.checkCommandName(in: arguments)
                var command = try Cachetool.parseAsRoot()
                try command.run()
            }
            Syscalls.exitNow(ExitStatus.success.rawValue)
        } catch {
            Syscalls.exitNow(Ending.of(error).rawValue)
        }
    }
}
