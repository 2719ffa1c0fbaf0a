// SPDX-License-Identifier: Apache-2.0

#if SignIn
internal import NIOHTTP1

/// Decides how to handle a request to the loopback listener. Refuses everything unexpected.
struct LoopbackRoutes: Sendable {
    let host: String
    /// The path of the redirect URI.
    let path: String
    let ticket: StartTicket
    let pending: PendingRedirect

    /// The maximum size of a form. One with a code has a few kilobytes.
    static let longestForm = FormParameters.maximumByteCount

    enum Decision: Sendable {
        case answer(LoopbackPage)
        case query([UInt8])
        case form
    }

    func decision(on head: HTTPRequestHead, port: Int) -> Decision {
        // A page of another origin whose name resolves to this machine has another host (DNS rebinding). Browsers omit
        // port 80.
        let names = port == 80 ? [host, "\(host):80"] : ["\(host):\(port)"]
        guard head.headers["Host"].count == 1, names.contains(head.headers["Host"][0].lowercased()) else {
            return .answer(.otherHost)
        }
        let parts = head.uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let requested = String(parts[0])
        if StartTicket.isPath(requested), requested != path {
            guard head.method == .GET else { return .answer(.methods("GET")) }
            guard parts.count == 1, let url = ticket.redeem(requested) else { return .answer(.usedLink) }
            return .answer(.redirect(to: url))
        }
        guard requested == (path.isEmpty ? "/" : path) else { return .answer(.notFound) }
        switch head.method {
        case .GET:
            guard !hasBody(head) else { return .answer(.malformed) }
            return .query(parts.count > 1 ? Array(parts[1].utf8) : [])
        case .POST:
            guard parts.count == 1 else { return .answer(.malformed) }
            let kind = head.headers["Content-Type"].first?.prefix { $0 != ";" } ?? ""
            guard kind.lowercased() == "application/x-www-form-urlencoded" else { return .answer(.notAForm) }
            if let length = head.headers["Content-Length"].first {
                guard let count = Int(length), count <= Self.longestForm else { return .answer(.tooLarge) }
            }
            return .form
        default:
            return .answer(.methods("GET, POST"))
        }
    }

    private func hasBody(_ head: HTTPRequestHead) -> Bool {
        head.headers.contains(name: "Transfer-Encoding") || head.headers["Content-Length"].contains { $0 != "0" }
    }
}
#endif
