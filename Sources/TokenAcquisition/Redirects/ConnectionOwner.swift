// SPDX-License-Identifier: Apache-2.0

// SAFETY: the bytes of addresses are read within the call.

#if SignIn
internal import CLinux
internal import Glibc
internal import NIOCore

/// The owner of the other end of a connection, according to the kernel.
enum ConnectionOwner: Hashable, Sendable {
    case user(UInt32)
    /// The other end is not on this machine, as far as this process can see, because there is a relay, such as that of
    /// WSL or of a container; or the kernel gives no information.
    case unknown
    /// The other end is closed.
    case nobody

    /// Finds the owner of the other end.
    static func find(from local: SocketAddress?, to remote: SocketAddress?) -> ConnectionOwner {
        // An end without an address was closed before the connection was accepted.
        guard let own = local.flatMap(End.init), let other = remote.flatMap(End.init) else { return .nobody }
        switch lookup(other, own) {
        case .found(let owner, let inode, _): return inode == 0 ? .nobody : .user(owner)
        case .failed: return .unknown
        case .missing:
            // If this end is still connected, the other one is not on this machine.
            if case .found(_, _, let state) = lookup(own, other), state == established { return .unknown }
            return .nobody
        }
    }

    /// Whether the owner is this user or root, or unknown.
    var isAcceptable: Bool {
        switch self {
        case .user(let user): user == geteuid() || user == 0
        case .unknown: true
        case .nobody: false
        }
    }

    private static let established: UInt8 = 1

    private struct End {
        let bytes: [UInt8]
        let port: UInt16
        var isIPv6: Bool { bytes.count == 16 }

        init?(_ address: SocketAddress) {
            guard let text = address.ipAddress, let port = address.port else { return nil }
            let isIPv6 = text.contains(":")
            var bytes = [UInt8](repeating: 0, count: isIPv6 ? 16 : 4)
            guard unsafe inet_pton(isIPv6 ? AF_INET6 : AF_INET, text, &bytes) == 1 else { return nil }
            self.bytes = bytes
            self.port = UInt16(port)
        }
    }

    private enum Found {
        case found(owner: UInt32, inode: UInt32, state: UInt8)
        case missing
        case failed
    }

    private static func lookup(_ end: End, _ peer: End) -> Found {
        var (owner, inode, state): (UInt32, UInt32, UInt8) = (0, 0, 0)
        let result = unsafe linux_find_tcp_socket(
            end.isIPv6 ? 1 : 0,
            end.bytes,
            end.port,
            peer.bytes,
            peer.port,
            &owner,
            &inode,
            &state
        )
        if result == 0 { return .found(owner: owner, inode: inode, state: state) }
        return errno == ENOENT ? .missing : .failed
    }
}
#endif
