// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import UnifiedSchema

/// The representative host of each cloud, laid out for lookups: no allocation, no hashing.
struct CloudHosts: Sendable {
    private var text = PackedText()
    private var entries: [(host: TextRange, preferred: TextRange)] = []

    init(_ clouds: CloudTable) {
        for cloud in clouds.clouds {
            let preferred = text.append(cloud.preferredCacheHost.string)
            for host in cloud.hosts { entries.append((text.append(host.string), preferred)) }
        }
    }

    /// Whether a host, folded, belongs to a known cloud.
    func contains(_ host: RawSpan) -> Bool {
        for entry in entries where Int(entry.host.count) == host.byteCount {
            if text.span(entry.host).isEqual(to: host) { return true }
        }
        return false
    }

    /// Passes the host that represents the cloud of `host`, folded, to `body`; `host` itself if it belongs to no known
    /// cloud.
    func withPreferredCacheHost<Result>(of host: RawSpan, _ body: (RawSpan) -> Result) -> Result {
        for entry in entries where Int(entry.host.count) == host.byteCount {
            if text.span(entry.host).isEqual(to: host) { return body(text.span(entry.preferred)) }
        }
        return body(host)
    }
}

/// The known clouds at one moment: as a table, and laid out for lookups.
final class CloudKnowledge: Sendable {
    let table: CloudTable
    let hosts: CloudHosts

    /// The initial knowledge of every engine.
    static let builtIn = CloudKnowledge(.builtIn)

    init(_ table: CloudTable) {
        self.table = table
        hosts = CloudHosts(table)
    }
}
