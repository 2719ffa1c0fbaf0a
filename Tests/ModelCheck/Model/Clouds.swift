// SPDX-License-Identifier: Apache-2.0

/// The hosts of the clouds that the sequences meet.
enum Clouds {
    static let personalTenant = "9188040d-6c67-4c5b-b112-36a304b66dad"

    private static let known: [(preferredCache: String, hosts: [String])] = [
        (
            "login.windows.net",
            ["login.microsoftonline.com", "login.windows.net", "login.microsoft.com", "sts.windows.net"]
        ),
        ("login.microsoftonline.us", ["login.microsoftonline.us", "login.usgovcloudapi.net"]),
    ]

    /// A name for the cloud that a host belongs to: all its hosts give the same. A host of no known cloud is one by
    /// itself.
    static func cloud(of host: String) -> String {
        let host = folded(host)
        return known.first { $0.hosts.contains(host) }?.preferredCache ?? host
    }

    /// Whether a host is Microsoft's: there the subject of an id token is not the account's id.
    static func isMicrosoft(_ host: String) -> Bool {
        isKnown(host) || folded(host).hasSuffix(".b2clogin.com") || folded(host).hasSuffix(".ciamlogin.com")
    }

    static func isKnown(_ host: String) -> Bool {
        known.contains { $0.hosts.contains(folded(host)) }
    }
}
