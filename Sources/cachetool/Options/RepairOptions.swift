import ArgumentParser

/// How far `cachetool repair` goes.
struct RepairOptions: ParsableArguments {
    @Flag(help: "Only say what would be done.")
    var dryRun = false

    @Flag(name: .shortAndLong, help: "Do it without asking.")
    var yes = false
}
