// SPDX-License-Identifier: Apache-2.0

// SAFETY: `pending` outlives the span of it.

/// Standard output or standard error: buffers bytes and writes them in large pieces.
///
/// Used from the main thread only. A reader that closes early (`cachetool list | head`) does not cause an error.
final class OutputStream {
    let descriptor: Int32
    let isTerminal: Bool

    private var pending: [UInt8] = []
    private(set) var isClosed = false
    private(set) var failure: Int32 = 0

    private static let capacity = 64 * 1_024

    init(descriptor: Int32) {
        self.descriptor = descriptor
        self.isTerminal = Syscalls.isTerminal(descriptor)
    }

    func write(_ text: String) {
        pending.append(contentsOf: text.utf8)
        if pending.count >= Self.capacity { flush() }
    }

    func write(_ bytes: [UInt8]) {
        pending.append(contentsOf: bytes)
        if pending.count >= Self.capacity { flush() }
    }

    func write(line: String) {
        write(line)
        write("\n")
    }

    /// Writes bytes immediately, bypassing the buffer, which could not be wiped.
    func writeDirectly(_ bytes: RawSpan) {
        flush()
        guard !isClosed else { return }
        note(Syscalls.writeAll(bytes, to: descriptor))
    }

    func flush() {
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
