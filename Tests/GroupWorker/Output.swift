// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Writes one line to standard output at once: whoever reads it may count on what it says.
func say(_ line: String) {
    var bytes = Array((line + "\n").utf8)[...]
    while !bytes.isEmpty {
        // SAFETY: the buffer outlives the call.
        let written = unsafe bytes.withUnsafeBytes { unsafe write(STDOUT_FILENO, $0.baseAddress, $0.count) }
        if written < 0 && errno == EINTR { continue }
        guard written > 0 else { exit(1) }
        bytes = bytes.dropFirst(written)
    }
}

/// Ends the program with a message.
func giveUp(_ message: String) -> Never {
    var standardError = StandardError()
    print(message, to: &standardError)
    exit(1)
}

private struct StandardError: TextOutputStream {
    mutating func write(_ text: String) {
        // SAFETY: the buffer outlives the call.
        _ = unsafe Array(text.utf8).withUnsafeBytes { unsafe Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
