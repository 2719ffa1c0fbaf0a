// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// What a program left when it ended.
package struct FinishedProgram: Sendable {
    /// Its exit code, or `nil` where a signal ended it.
    package let exitCode: Int32?
    /// What it wrote to standard output.
    package let output: Data
    /// What it wrote to standard error.
    package let messages: String

    package init(exitCode: Int32?, output: Data, messages: String) {
        self.exitCode = exitCode
        self.output = output
        self.messages = messages
    }

    /// Standard output as text, without the last line end.
    package var text: String {
        String(decoding: output, as: UTF8.self).trimmingCharacters(in: .newlines)
    }

    /// Standard output, line by line. A last line that was cut off in the middle is left out.
    package var lines: [String] { Self.lines(of: output) }

    static func lines(of output: Data) -> [String] {
        String(decoding: output, as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }

    /// Standard output as JSON.
    package var json: [String: Any] {
        get throws {
            try JSONSerialization.jsonObject(with: output) as? [String: Any] ?? [:]
        }
    }
}
