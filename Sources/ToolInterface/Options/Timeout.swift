// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser

/// How long a command waits for other processes, as typed in seconds: "2", "0.5".
public struct Timeout: ExpressibleByArgument, Sendable {
    static let standard = Timeout(duration: .seconds(2), text: "2")

    /// The duration.
    public let duration: Duration
    private let text: String

    private init(duration: Duration, text: String) {
        self.duration = duration
        self.text = text
    }

    /// Called by the parser.
    public init?(argument: String) {
        guard let seconds = Double(argument), seconds > 0, seconds <= 86_400 else { return nil }
        self.init(duration: .milliseconds(Int64(seconds * 1_000)), text: argument)
    }

    /// The default value as help shows it.
    public var defaultValueDescription: String { text }
}
