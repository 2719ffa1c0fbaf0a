import ArgumentParser

/// What `cachetool sign-out` signs out of.
struct SignOutOptions: ParsableArguments {
    @Option(parsing: .unconditional, help: ArgumentHelp("The app to sign out of.", valueName: "client"))
    var client: String

    @Flag(name: .shortAndLong, help: "Do it without asking.")
    var yes = false
}
