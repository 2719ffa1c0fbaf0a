// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A connection to a port of this machine, as a program makes it that keeps to no rule.
/// It blocks: what waits for a response runs on a thread of its own, so that the listener has those of the tests.
final class RawConnection: Sendable {
    private let socket: Int32

    /// Connects to `127.0.0.1` or `::1`.
    init?(host: String = "127.0.0.1", port: Int) {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, "\(port)", &hints, &found) == 0, let address = found else { return nil }
        defer { freeaddrinfo(address) }
        socket = Glibc.socket(address.pointee.ai_family, Int32(SOCK_STREAM.rawValue), 0)
        guard connect(socket, address.pointee.ai_addr, address.pointee.ai_addrlen) == 0 else {
            close(socket)
            return nil
        }
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Connects to a socket in the file system.
    init?(path: String) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let capacity = MemoryLayout.size(ofValue: address.sun_path)
        guard path.utf8.count < capacity else { return nil }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let result = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else {
            close(socket)
            return nil
        }
    }

    deinit { close(socket) }

    func send(_ text: String) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            bytes = bytes.dropFirst(count)
        }
    }

    /// All that comes until the other side closes.
    func response() async -> String {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: self.read()) }
        }
    }

    private func read() -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = recv(socket, &buffer, buffer.count, 0)
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += buffer[..<count]
        }
    }
}

/// What a listener answers to a request, whole.
func exchange(_ port: Int, _ text: String, host: String = "127.0.0.1") async -> String {
    guard let connection = RawConnection(host: host, port: port) else { return "" }
    connection.send(text)
    return await connection.response()
}

/// The status of a request; nil if the connection was closed without one.
func status(_ port: Int, _ text: String, host: String = "127.0.0.1") async -> Int? {
    await exchange(port, text, host: host).split(separator: " ").dropFirst().first.flatMap { Int($0) }
}

func get(_ target: String, host: String, method: String = "GET") -> String {
    "\(method) \(target) HTTP/1.1\r\nHost: \(host)\r\n\r\n"
}

func post(_ target: String, host: String, _ body: String, type: String = "application/x-www-form-urlencoded") -> String
{
    "POST \(target) HTTP/1.1\r\nHost: \(host)\r\nContent-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
}

extension String {
    /// The value of a header field of a response.
    func header(_ name: String) -> String? {
        components(separatedBy: "\r\n").first { $0.lowercased().hasPrefix(name.lowercased() + ": ") }
            .map { String($0.dropFirst(name.count + 2)) }
    }
}
