// SPDX-License-Identifier: Apache-2.0

public import TokenCaching

/// A line with a secret, which is read directly into secret memory: from a descriptor, or from the terminal with echo off.
public enum SecretLine {
    /// Reads the first line from a descriptor, without its line end. If the descriptor is a terminal, prompts with echo off.
    ///
    /// - Parameters:
    ///   - descriptor: the descriptor.
    ///   - question: the prompt, such as "Passphrase of group work".
    ///   - read: reads byte by byte, so that a second line may follow on the same descriptor.
    /// - Returns: the secret.
    /// - Throws: ``CommandFailure`` if the descriptor cannot be read, and other errors of `read`.
    public static func read<Secret: ~Copyable>(
        from descriptor: CallersDescriptor,
        asking question: String,
        _ read: (Int32) throws(TokenCacheError) -> Secret
    ) throws -> Secret {
        guard Syscalls.isTerminal(descriptor.duplicate) else {
            return try line(from: descriptor.duplicate, named: descriptor, read)
        }
        return try typed(on: descriptor.duplicate, named: descriptor, asking: question, read)
    }

    /// Prompts for a secret on the terminal.
    ///
    /// - Parameters:
    ///   - terminal: the terminal.
    ///   - name: the descriptor that was typed for it; nil for standard input.
    ///   - question: the prompt.
    ///   - read: reads a line.
    /// - Returns: the secret.
    /// - Throws: the errors of ``read(from:asking:_:)``.
    static func typed<Secret: ~Copyable>(
        on terminal: Int32,
        named name: CallersDescriptor? = nil,
        asking question: String,
        _ read: (Int32) throws(TokenCacheError) -> Secret
    ) throws -> Secret {
        try ElapsedTimeLine.hidden {
            try EchoOff.on(terminal) {
                let errors = OutputStream(descriptor: 2)
                errors.write(VisibleText.escaped(question) + ": ")
                errors.flush()
                return try line(from: terminal, named: name, read)
            }
        }
    }

    private static func line<Secret: ~Copyable>(
        from descriptor: Int32,
        named name: CallersDescriptor?,
        _ read: (Int32) throws(TokenCacheError) -> Secret
    ) throws -> Secret {
        do throws(TokenCacheError) {
            return try read(descriptor)
        } catch {
            guard error.code == .system else { throw error }
            throw CommandFailure(
                .usage,
                "Descriptor \(name?.number ?? descriptor) cannot be read: "
                    + "\(Syscalls.message(for: error.systemErrorNumber ?? 0)). "
                    + "Open it for cachetool, as in \(name?.option ?? "--passphrase-fd") 3 3<FILE."
            )
        }
    }
}
