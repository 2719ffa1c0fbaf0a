import ArgumentParser

/// How much `cachetool clear` takes.
struct ClearOptions: ParsableArguments {
    @Flag(help: "Everything in the group.")
    var all = false

    @Flag(help: "Only say what would go.")
    var dryRun = false

    @Flag(name: .shortAndLong, help: "Do it without asking.")
    var yes = false
}
