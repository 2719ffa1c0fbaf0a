import ArgumentParser

/// Where the program begins.
@main
enum Main {
    static func main() {
        Syscalls.ignoreBrokenPipes()
        do {
            var command = try Cachetool.parseAsRoot()
            try command.run()
            Syscalls.exitNow(ExitStatus.success.rawValue)
        } catch {
            Syscalls.exitNow(Ending.of(error).rawValue)
        }
    }
}
