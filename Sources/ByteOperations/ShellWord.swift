// SPDX-License-Identifier: Apache-2.0

/// Words of a command that the user is advised to run.
public enum ShellWord {
    /// Quotes a text so that a POSIX shell takes it as one word. A text of safe characters stays as it is.
    public static func quoted(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "/._-+:,@%".utf8.contains(byte)
            }
        }
        if isPlain, !text.isEmpty { return text }
        let parts = text.split(separator: "'", omittingEmptySubsequences: false)
        return "'" + parts.joined(separator: "'\\''") + "'"
    }
}
