// SPDX-License-Identifier: Apache-2.0

/// Decides which requests go through which proxy, according to `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY`. A name in
/// lower case takes precedence; an empty value counts as unset.
///
/// `HTTP_PROXY` is ignored: only loopback hosts may be reached without TLS, and requests to them go through no proxy.
package struct ProxyRules: Sendable {
    private let proxy: String?
    private let exceptions: [Exception]

    /// A host, with all hosts below its name, to connect to directly.
    private struct Exception {
        let host: String
        let port: Int?
    }

    /// The rules given by `environment`.
    package init(environment: [String: String]) {
        func value(_ name: String) -> String? {
            [name.lowercased(), name].lazy.compactMap { environment[$0]?.trimmingSpaces() }.first { !$0.isEmpty }
        }
        proxy = value("HTTPS_PROXY") ?? value("ALL_PROXY")
        exceptions = (value("NO_PROXY") ?? "").split { $0 == "," || $0.isWhitespace }.compactMap { entry in
            if entry == "*" { return Exception(host: "", port: nil) }
            // An IPv6 address may be given with or without brackets.
            if entry.first != "[", entry.count(where: { $0 == ":" }) > 1 {
                return Exception(host: entry.lowercased(), port: nil)
            }
            let name = entry.drop { $0 == "*" || $0 == "." }
            return RequestTarget.namedHostAndPort(name).map { Exception(host: $0.host, port: $0.port) }
        }
    }

    /// The proxy for a request to `target`; nil for a direct connection.
    ///
    /// - Throws: `proxyRejected` if the environment names an unusable proxy.
    package func proxy(for target: RequestTarget) throws(TransportError) -> Proxy? {
        guard let proxy, !target.isLoopback, !exceptions.contains(where: { Self.matches($0, target) }) else {
            return nil
        }
        guard let parsed = Proxy(proxy) else { throw TransportError(.proxyRejected, mayHaveBeenSent: false) }
        return parsed
    }

    private static func matches(_ exception: Exception, _ target: RequestTarget) -> Bool {
        guard exception.port == nil || exception.port == target.port else { return false }
        if exception.host.isEmpty { return true }
        // An address belongs to no domain, even if its text ends in that of another address.
        let isName = !RequestTarget.isAddress(target.host)
        return target.host == exception.host || (isName && target.host.hasSuffix("." + exception.host))
    }
}

extension ProxyRules: CustomStringConvertible, CustomReflectable {
    package var description: String { "ProxyRules()" }

    /// No children, because the proxy's URL may contain a password.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension String {
    /// The text without white space at both ends.
    fileprivate func trimmingSpaces() -> String {
        var text = self[...]
        while let first = text.first, first.isWhitespace { text.removeFirst() }
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return String(text)
    }
}
