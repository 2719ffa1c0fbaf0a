internal import RecordStorage
internal import Sealing
internal import Synchronization

/// The keys of the epochs that this process knows, and how far a change of keys has come. Safe to use from any thread.
final class KeyringKeyChain: Sendable {
    /// Is given the keys of each epoch before anything of it is handed out.
    typealias Learner = @Sendable (GroupKeys) throws(StorageError) -> Void

    private let learn: Learner
    private let state: Mutex<State>

    private struct State {
        var known: [UInt32: KeyringKeys]
        var newest: KeyringKeys
        var isMoving = false
    }

    /// The keys of a new group.
    init(_ keys: GroupKeys, learn: @escaping Learner) throws(StorageError) {
        let keys = try KeyringKeys(keys)
        try learn(keys.group)
        self.learn = learn
        state = Mutex(State(known: [keys.epoch: keys], newest: keys))
    }

    /// The keys that the keyring holds.
    init(_ found: KeyItems, learn: @escaping Learner) throws(StorageError) {
        let all = try found.newest.unlock()
        let newest = try KeyringKeys(all[all.count - 1])
        self.learn = learn
        state = Mutex(State(known: [newest.epoch: newest], newest: newest))
        try take(found)
    }

    /// The keys that everything new is sealed under.
    var newest: KeyringKeys { state.withLock { $0.newest } }

    /// Whether items of the epoch before may be there.
    var isMoving: Bool { state.withLock { $0.isMoving } }

    /// `nil` if they are not known.
    func keys(of epoch: UInt32) -> KeyringKeys? { state.withLock { $0.known[epoch] } }

    /// Learns what the keyring holds now.
    func take(_ found: KeyItems) throws(StorageError) {
        var all: [KeyringKeys] = []
        for keys in try found.newest.unlock() {
            try learn(keys)
            all.append(try KeyringKeys(keys))
        }
        state.withLock { state in
            for keys in all {
                state.known[keys.epoch] = keys
                if keys.epoch >= state.newest.epoch { state.newest = keys }
            }
            state.isMoving = !found.isFinal
        }
    }
}
