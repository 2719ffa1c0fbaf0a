// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage
internal import Sealing
internal import Synchronization

/// The keys of all epochs that this process knows. Thread-safe.
final class KeyringKeyChain: Sendable {
    /// Receives the keys of each epoch before the store returns any record of that epoch.
    typealias Learner = @Sendable (GroupKeys) throws(StorageError) -> Void

    private let learn: Learner
    private let state: Mutex<State>

    private struct State {
        var known: [UInt32: KeyringKeys]
        var newest: KeyringKeys
    }

    /// Starts with the keys of a new group.
    init(_ keys: GroupKeys, learn: @escaping Learner) throws(StorageError) {
        let keys = try KeyringKeys(keys)
        try learn(keys.group)
        self.learn = learn
        state = Mutex(State(known: [keys.epoch: keys], newest: keys))
    }

    /// Starts with the keys that the keyring holds.
    init(_ found: KeyItems, learn: @escaping Learner) throws(StorageError) {
        let all = try found.newest.unlock()
        let newest = try KeyringKeys(all[all.count - 1])
        self.learn = learn
        state = Mutex(State(known: [newest.epoch: newest], newest: newest))
        try take(found)
    }

    /// The keys that new items are sealed under.
    var newest: KeyringKeys { state.withLock { $0.newest } }

    /// The keys of `epoch`; `nil` if they are not known.
    func keys(of epoch: UInt32) -> KeyringKeys? { state.withLock { $0.known[epoch] } }

    /// Adopts the keys that the keyring now holds.
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
        }
    }
}
