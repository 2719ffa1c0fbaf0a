// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Listens on the loopback interface and answers one request after the other.
@safe package struct LocalServer: ~Copyable {
    private let socket: Int32
    /// Where it listens.
    package let port: UInt16

    /// Begins to listen on a free port; nil where it cannot.
    package init?() {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = LocalServer.address(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        // SAFETY: a sockaddr_in is passed with its size, as the calls want it.
        let isListening = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe bind(socket, pointer, length) == 0 && listen(socket, 256) == 0
                    && getsockname(socket, pointer, &length) == 0
            }
        }
        self.socket = socket
        port = UInt16(bigEndian: address.sin_port)
        if !isListening { return nil }
    }

    /// Answers requests for ever.
    package borrowing func run(_ answer: (Message) -> (status: Int, body: String)) {
        while true {
            let peer = accept(socket, nil, nil)
            guard peer >= 0 else { continue }
            let connection = Connection(accepted: peer)
            guard let request = connection.receive() else { continue }
            let (status, body) = answer(request)
            connection.send(
                "HTTP/1.1 \(status) \(status == 200 ? "OK" : "Bad Request")\r\nContent-Type: application/json\r\n"
                    + "Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
            )
        }
    }

    static func address(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}
