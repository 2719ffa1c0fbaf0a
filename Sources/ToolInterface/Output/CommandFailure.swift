// SPDX-License-Identifier: Apache-2.0

public import TokenCaching

/// The failure of a command: what happened and what to do next, in one or two sentences, and the exit status.
public struct CommandFailure: Error, CustomStringConvertible {
    /// The exit status.
    public let status: ExitStatus
    /// What happened; empty if the output has already said it.
    public let problem: String
    /// What to do next, if the problem does not say it.
    public let advice: String?

    /// Creates a failure.
    public init(_ status: ExitStatus, _ problem: String, advice: String? = nil) {
        self.status = status
        self.problem = problem
        self.advice = advice
    }

    /// What to print: the problem and the advice.
    public var message: String { advice.map { "\(problem) \($0)" } ?? problem }

    /// A failure that the printed output already explains.
    public static func silent(_ status: ExitStatus) -> CommandFailure { CommandFailure(status, "") }

    /// The message.
    public var description: String { message }
}

extension TokenCacheError {
    /// The failure that cachetool's own code reported when the library called it, for example for a passphrase; nil for
    /// an error of the library. In every such case the command line did not provide something needed.
    public var failureOfOwnCode: CommandFailure? {
        (underlying as? CommandFailure).map { CommandFailure(.usage, $0.message) }
    }
}
