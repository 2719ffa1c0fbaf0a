// SPDX-License-Identifier: Apache-2.0

// SAFETY: `pending` outlives its span.

/// Standard output or standard error: buffers bytes and writes them in large pieces.
///
/// Used from the main thread only. A reader that closes early (`cachetool list | head`) does not cause an error.
public final class OutputStream {
    /// The descriptor.
    public let descriptor: Int32
    /// Whether it is a terminal.
    public let isTerminal: Bool

    private var pending: [UInt8] = []
    /// Whether its reader closed it, or a write failed.
    public private(set) var isClosed = false
    private(set) var failure: Int32 = 0

    private static let capacity = 64 * 1_024

    /// Creates a stream that buffers the output to a descriptor.
    public init(descriptor: Int32) {
        self.descriptor = descriptor
        self.isTerminal = Syscalls.isTerminal(descriptor)
    }

    /// Writes text.
    public func write(_ text: String) {
        pending.append(contentsOf: text.utf8)
        if pending.count >= Self.capacity { flush() }
    }

    /// Writes bytes.
    public func write(_ bytes: [UInt8]) {
        pending.append(contentsOf: bytes)
        if pending.count >= Self.capacity { flush() }
    }

    /// Writes text and a line end.
    public func write(line: String) {
        write(line)
        write("\n")
    }

    /// Writes bytes immediately, bypassing the buffer, which could not be wiped.
    public func writeDirectly(_ bytes: RawSpan) {
        flush()
        guard !isClosed else { return }
        note(Syscalls.writeAll(bytes, to: descriptor))
    }

    /// Writes the buffered bytes.
    public func flush() {
        guard !pending.isEmpty else { return }
        if !isClosed { note(unsafe Syscalls.writeAll(pending.span.bytes, to: descriptor)) }
        pending.removeAll(keepingCapacity: true)
    }

    private func note(_ error: Int32) {
        guard error != 0 else { return }
        isClosed = true
        if !Syscalls.isBrokenPipe(error) { failure = error }
    }
}
