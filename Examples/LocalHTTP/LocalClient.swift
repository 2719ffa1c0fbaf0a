// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Asks a token endpoint on this machine.
package struct LocalClient: Sendable {
    private let port: UInt16

    package init(port: UInt16) {
        self.port = port
    }

    /// Posts a form.
    ///
    /// - Returns: the status and the body of the answer; nil where there was none.
    package func post(_ path: String, _ form: [String: String]) -> (status: Int, body: String)? {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard socket >= 0 else { return nil }
        let connection = Connection(accepted: socket)
        var address = LocalServer.address(port: port)
        // SAFETY: a sockaddr_in is passed with its size, as the call wants it.
        let isConnected = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else { return nil }
        let body = form.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "&")
        connection.send(
            "POST \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n"
                + "Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
        )
        guard let answer = connection.receive() else { return nil }
        let words = answer.start.split(separator: " ")
        guard words.count >= 2, let status = Int(words[1]) else { return nil }
        return (status, answer.body)
    }
}
