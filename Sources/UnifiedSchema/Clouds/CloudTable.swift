/// Which hosts are one cloud. Starts with the clouds that the SDKs ship, and learns from discovery data.
///
/// Its version changes with its content, so that what was worked out under another table can be told.
package struct CloudTable: Hashable, Sendable {
    package private(set) var clouds: [Cloud]
    /// 0 for the table that ships; grows by one with each change.
    package private(set) var version: UInt64
    private var indices: [UTF8Text: Int]
    /// How many of the clouds ship with the library: the first ones.
    private let shippedCount: Int
    /// The most hosts that the table takes in, so that no server can make it grow without end.
    package static let maximumHostCount = 4096

    /// The clouds that MSAL's SDKs know without asking anybody.
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

    /// The host that stands for all of its aliases, for entries that are written and for comparing. A host of another
    /// issuer stands for itself, folded.
    package func preferredCacheHost(for environment: UTF8Text) -> UTF8Text {
        if let index = indices[environment] { return clouds[index].preferredCacheHost }
        let host = environment.normalized()
        return indices[host].map { clouds[$0].preferredCacheHost } ?? host
    }

    /// The host of the same cloud to send requests to. A host of another issuer stands for itself, folded.
    package func preferredNetworkHost(for environment: UTF8Text) -> UTF8Text {
        cloud(of: environment)?.preferredNetworkHost ?? environment.normalized()
    }

    /// All hosts that mean the same, the given one among them.
    package func aliases(of environment: UTF8Text) -> [UTF8Text] {
        cloud(of: environment)?.hosts ?? [environment.normalized()]
    }

    package func areAliases(_ one: UTF8Text, _ other: UTF8Text) -> Bool {
        one == other || preferredCacheHost(for: one) == preferredCacheHost(for: other)
    }

    /// Whether a cloud of discovery data would join two clouds that are known.
    package func isJoined(by cloud: Cloud) -> Bool { Set(cloud.hosts.compactMap { indices[$0] }).count > 1 }

    /// Takes in a cloud from discovery data.
    ///
    /// If one of its hosts is known, its other hosts join that cloud, and its preferences replace the old ones. A host
    /// that belongs to another cloud stays there: no answer of a server joins two clouds, across which refresh tokens
    /// must not go. Of a cloud that ships, only hosts that ship can become preferred: refresh tokens are sent there.
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
