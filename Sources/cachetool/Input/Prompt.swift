/// Asks the person in front of the terminal.
struct Prompt {
    private let console: Console
    private let mayAsk: Bool
    private let onAnswer: () -> Void

    /// - Parameters:
    ///   - console: where questions appear: on standard error.
    ///   - isForbidden: `--no-prompt`.
    ///   - onAnswer: is told when the person has answered.
    init(_ console: Console, isForbidden: Bool, onAnswer: @escaping () -> Void) {
        self.console = console
        self.onAnswer = onAnswer
        // Both ends must be a person's: a question that nobody sees would hang a script.
        self.mayAsk = !isForbidden && Syscalls.isTerminal(0) && console.errors.isTerminal
    }

    /// Whether somebody is there to answer.
    var isPossible: Bool { mayAsk }

    /// Asks for a yes. Anything but "y" or "yes" is a no.
    ///
    /// - Parameters:
    ///   - question: without "[y/N]".
    ///   - isAnswered: `--yes`.
    /// - Throws: ``CommandFailure`` when nobody can be asked, or the answer is no.
    func confirm(_ question: String, isAnswered: Bool) throws(CommandFailure) {
        if isAnswered { return }
        guard mayAsk else {
            throw CommandFailure(
                .usage,
                "\(question) Nobody can be asked here, and nothing was changed. --yes answers yes."
            )
        }
        console.output.flush()
        console.errors.write(VisibleText.escaped(question) + " [y/N] ")
        console.errors.flush()
        let answer = (readLine() ?? "").lowercased()
        onAnswer()
        guard answer == "y" || answer == "yes" else {
            throw CommandFailure(.failure, "Nothing was changed.")
        }
    }
}
