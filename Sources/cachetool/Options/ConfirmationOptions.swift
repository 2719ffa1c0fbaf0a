import ArgumentParser

/// Answers a question in advance.
struct ConfirmationOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Do it without asking.")
    var yes = false
}
