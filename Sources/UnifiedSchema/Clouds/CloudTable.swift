// SPDX-License-Identifier: Apache-2.0

/// The hosts of each cloud. Starts with the clouds built into the SDKs, and learns from discovery data.
///
/// Its version changes with its content, so that results computed with another table are detected.
package struct CloudTable: Hashable, Sendable {
    package private(set) var clouds: [Cloud]
    /// 0 for the built-in table; incremented by each change.
    package private(set) var version: UInt64
    private var indices: [UTF8Text: Int]
    /// The number of built-in clouds, which come first.
    private let shippedCount: Int
    /// The maximum number of hosts, so that a server cannot make the table grow without limit.
    package static let maximumHostCount = 4096

    /// The clouds that MSAL's SDKs know without discovery.
    package static let builtIn = CloudTable([
        Cloud(
            ["login.microsoftonline.com", "login.windows.net", "login.microsoft.com", "sts.windows.net"],
            cache: "login.windows.net"
        ),
        Cloud(["login.partner.microsoftonline.cn", "login.chinacloudapi.cn"]),
        Cloud(["login.microsoftonline.de"]),
        Cloud(["login.microsoftonline.us", "login.usgovcloudapi.net"]),
        Cloud(["login-us.microsoftonline.com"]),
        Cloud(["login.sovcloud-identity.fr"]),
        Cloud(["login.sovcloud-identity.de"]),
        Cloud(["login.sovcloud-identity.sg"]),
        Cloud(["login.windows-ppe.net", "sts.windows-ppe.net", "login.microsoft-ppe.com"]),
    ])

    private init(_ clouds: [Cloud]) {
        self.clouds = clouds
        version = 0
        shippedCount = clouds.count
        indices = [:]
        for (index, cloud) in clouds.enumerated() {
            for host in cloud.hosts { indices[host] = index }
        }
    }

    /// The cloud of a host; nil for hosts of other issuers.
    package func cloud(of environment: UTF8Text) -> Cloud? {
        if let index = indices[environment] { return clouds[index] }
        return indices[environment.normalized()].map { clouds[$0] }
    }

    /// The host that represents all of its aliases, for writing and comparing entries. A host of another issuer
    /// represents itself, folded.
    package func preferredCacheHost(for environment: UTF8Text) -> UTF8Text {
        if let index = indices[environment] { return clouds[index].preferredCacheHost }
        let host = environment.normalized()
        return indices[host].map { clouds[$0].preferredCacheHost } ?? host
    }

    /// The host to send requests to, in the same cloud. A host of another issuer represents itself, folded.
    package func preferredNetworkHost(for environment: UTF8Text) -> UTF8Text {
        cloud(of: environment)?.preferredNetworkHost ?? environment.normalized()
    }

    package func areAliases(_ one: UTF8Text, _ other: UTF8Text) -> Bool {
        one == other || preferredCacheHost(for: one) == preferredCacheHost(for: other)
    }

    /// Whether a cloud from discovery data would join two known clouds.
    package func isJoined(by cloud: Cloud) -> Bool { Set(cloud.hosts.compactMap { indices[$0] }).count > 1 }

    /// Adds a cloud from discovery data.
    ///
    /// If one of its hosts is known, its other hosts join that cloud, and its preferences replace the old ones. A host
    /// that belongs to another cloud stays there: a server's answer must not join two clouds, because refresh tokens
    /// must not cross between them. In a built-in cloud, only built-in hosts can become preferred, because refresh
    /// tokens are sent there.
    package mutating func learn(_ cloud: Cloud) {
        let known = indices[cloud.preferredCacheHost] ?? cloud.hosts.compactMap { indices[$0] }.first
        let index = known ?? clouds.count
        let own = cloud.hosts.filter { indices[$0] ?? index == index }
        guard !own.isEmpty, indices.count + own.count <= CloudTable.maximumHostCount else { return }
        let eligible = index < shippedCount ? CloudTable.builtIn.clouds[index].hosts : own
        let old = known.map { clouds[$0] }
        func preferred(_ host: UTF8Text, else other: UTF8Text?) -> UTF8Text {
            eligible.contains(host) ? host : other ?? own[0]
        }
        let joined = Cloud(
            hosts: (old?.hosts ?? []) + own,
            preferredNetworkHost: preferred(cloud.preferredNetworkHost, else: old?.preferredNetworkHost),
            preferredCacheHost: preferred(cloud.preferredCacheHost, else: old?.preferredCacheHost)
        )
        if joined == old { return }
        if known == nil { clouds.append(joined) } else { clouds[index] = joined }
        for host in joined.hosts { indices[host] = index }
        version += 1
    }
}

/// One Microsoft identity cloud: a set of equivalent hosts, and the preferred one under which entries are written.
package struct Cloud: Hashable, Sendable {
    /// All hosts, folded, without duplicates.
    package let hosts: [UTF8Text]
    /// The host to send requests to.
    package let preferredNetworkHost: UTF8Text
    /// The `environment` of newly written entries.
    package let preferredCacheHost: UTF8Text

    /// Adds both preferred hosts to the hosts.
    package init(hosts: [UTF8Text], preferredNetworkHost: UTF8Text, preferredCacheHost: UTF8Text) {
        self.preferredNetworkHost = preferredNetworkHost.normalized()
        self.preferredCacheHost = preferredCacheHost.normalized()
        var all: [UTF8Text] = []
        for host in hosts + [preferredNetworkHost, preferredCacheHost] {
            let folded = host.normalized()
            if !folded.isEmpty, !all.contains(folded) { all.append(folded) }
        }
        self.hosts = all
    }

    init(_ hosts: [UTF8Text], cache: UTF8Text? = nil) {
        self.init(hosts: hosts, preferredNetworkHost: hosts[0], preferredCacheHost: cache ?? hosts[0])
    }
}
