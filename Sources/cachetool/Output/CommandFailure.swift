/// A command gave up: what happened and what to do next, in one or two sentences, and how the program ends.
struct CommandFailure: Error, CustomStringConvertible {
    let status: ExitStatus
    let message: String

    init(_ status: ExitStatus, _ message: String) {
        self.status = status
        self.message = message
    }

    /// An end that what was printed explains already.
    static func silent(_ status: ExitStatus) -> CommandFailure { CommandFailure(status, "") }

    var description: String { message }
}
