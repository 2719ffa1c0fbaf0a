import ArgumentParser

/// Whether a secret may be shown.
struct RevealOptions: ParsableArguments {
    @Flag(help: "Show the secret. Needs a terminal, or --yes: what is printed stays in scrollback and logs.")
    var reveal = false

    @Flag(name: .shortAndLong, help: "Reveal without a terminal.")
    var yes = false
}
