internal import RecordStorage
internal import Synchronization
internal import UnifiedSchema

extension Engine {
    /// Which hosts are one cloud, as of now.
    var clouds: CloudTable { cloudKnowledge.table }

    var cloudKnowledge: CloudKnowledge { knownClouds.withLock { $0 } }

    /// Takes in what discovery says. If it was news, everything that was worked out before is worked out anew.
    func learn(_ clouds: [Cloud]) {
        guard (try? checkProcess()) != nil else { return }
        let isNews = knownClouds.withLock { known in
            var table = known.table
            for cloud in clouds { table.learn(cloud) }
            guard table.version != known.table.version else { return false }
            known = CloudKnowledge(table)
            return true
        }
        guard isNews else { return }
        // Facts that are being read just now with the old table are not kept after this.
        state.withLock { $0.note(.everything) }
        disturb()
    }
}
