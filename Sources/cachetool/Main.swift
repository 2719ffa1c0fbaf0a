import ArgumentParser
import Sealing

/// Where the program begins.
@main
enum Main {
    static func main() {
        // First of all: from here on a crash leaves no core and prints no memory.
        Hardening.apply()
        Syscalls.ignoreSignalsOfWrites()
        do {
            try Cachetool.checkCommandName(in: Array(CommandLine.arguments.dropFirst()))
            var command = try Cachetool.parseAsRoot()
            try command.run()
            Syscalls.exitNow(ExitStatus.success.rawValue)
        } catch {
            Syscalls.exitNow(ErrorReporter.of(error).rawValue)
        }
    }
}
