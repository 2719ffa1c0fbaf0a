// SPDX-License-Identifier: Apache-2.0

/// Prompts the user at the terminal.
public struct Prompt {
    private let console: Console
    private let mayAsk: Bool
    private let onAnswer: () -> Void

    /// - Parameters:
    ///   - console: prints questions to standard error.
    ///   - isForbidden: `--no-prompt`.
    ///   - onAnswer: called when the user has answered.
    public init(_ console: Console, isForbidden: Bool, onAnswer: @escaping () -> Void) {
        self.console = console
        self.onAnswer = onAnswer
        // Both input and output must be a terminal: a script would hang at a question that no user sees.
        self.mayAsk = !isForbidden && Syscalls.isTerminal(0) && console.errors.isTerminal
    }

    /// Whether there is a user to answer.
    public var isPossible: Bool { mayAsk }

    /// Asks for confirmation. Anything except "y" or "yes" means no.
    ///
    /// - Parameters:
    ///   - question: the question, without "[y/N]".
    ///   - isAnswered: whether `--yes` was given.
    /// - Throws: ``CommandFailure`` if prompting is impossible, or the answer is no.
    public func confirm(_ question: String, isAnswered: Bool) throws(CommandFailure) {
        if isAnswered { return }
        guard mayAsk else {
            throw CommandFailure(
                .usage,
                "\(question) Prompting is not possible here, so nothing was changed. Use --yes to confirm."
            )
        }
        let answer = (self.answer(to: question + " [y/N] ") ?? "").lowercased()
        guard answer == "y" || answer == "yes" else {
            throw CommandFailure(.failure, "Nothing was changed.")
        }
    }

    /// Asks for one of several texts, by their numbers. Only if that ``isPossible``.
    ///
    /// - Parameters:
    ///   - question: the question.
    ///   - texts: what to choose from.
    /// - Returns: the chosen text.
    /// - Throws: ``CommandFailure`` if the answer is none of the numbers.
    public func choose(_ question: String, among texts: [String]) throws(CommandFailure) -> String {
        console.output.flush()
        for (index, text) in texts.enumerated() {
            console.errors.write(line: "  \(index + 1)  " + VisibleText.escaped(text))
        }
        let answer = answer(to: question + " [1-\(texts.count)] ")
        guard let index = texts.indices.first(where: { "\($0 + 1)" == answer }) else {
            throw CommandFailure(.failure, "Nothing was changed.")
        }
        return texts[index]
    }

    private func answer(to question: String) -> String? {
        defer { onAnswer() }
        console.output.flush()
        console.errors.write(VisibleText.escaped(question))
        console.errors.flush()
        return readLine()
    }
}
