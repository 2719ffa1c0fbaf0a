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
            if let command = QuickArguments.command(Array(CommandLine.arguments.dropFirst())) {
                try command.run()
            } else {
                var command = try Cachetool.parseAsRoot()
                try command.run()
            }
            Syscalls.exitNow(ExitStatus.success.rawValue)
        } catch {
            Syscalls.exitNow(Ending.of(error).rawValue)
        }
    }
}
