// SPDX-License-Identifier: Apache-2.0

import Glibc

/// One connection over the loopback interface, for one request and its answer.
@safe package struct Connection: ~Copyable {
    private let socket: Int32

    package init(accepted socket: Int32) {
        self.socket = socket
        // A peer that stands still must not hold the other up.
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        // SAFETY: the option is a timeval, and its size is passed.
        _ = unsafe setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit {
        _ = close(socket)
    }

    /// Sends text.
    package borrowing func send(_ text: String) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            // SAFETY: the buffer outlives the call.
            let count = unsafe bytes.withUnsafeBytes {
                unsafe Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return }
            bytes = bytes.dropFirst(count)
        }
    }

    /// Reads one message: its head, and as many bytes after it as the head says.
    package borrowing func receive() -> Message? {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4096)
        while true {
            if let message = Message(bytes) { return message }
            // SAFETY: the buffer outlives the call.
            let count = unsafe recv(socket, &piece, piece.count, 0)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return nil }
            bytes += piece[..<count]
        }
    }
}
