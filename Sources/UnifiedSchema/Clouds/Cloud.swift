// SPDX-License-Identifier: Apache-2.0

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
