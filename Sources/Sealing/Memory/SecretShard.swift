import Synchronization

/// A share of the arena with a lock of its own, so that threads seldom meet.
final class SecretShard: Sendable {
    private struct State {
        var slabs: [SecretSlab] = []
        /// Where the last run was found.
        var current = 0
    }

    private let state = Mutex(State())

    /// Takes memory; `nil` where another thread is in here right now.
    func takeIfUncontended(granules: Int) throws(SealingError) -> SecretBlock? {
        try state.withLockIfAvailable { state throws(SealingError) in
            try Self.take(granules, from: &state, shard: self)
        }
    }

    /// Takes memory, waiting for the lock.
    func take(granules: Int) throws(SealingError) -> SecretBlock {
        try state.withLock { state throws(SealingError) in
            try Self.take(granules, from: &state, shard: self)
        }
    }

    /// Gives back what was taken here. The bytes are wiped already.
    func giveBack(_ block: SecretBlock) {
        state.withLock { state in
            let slab = block.slab
            slab.map.giveBack(block.firstGranule, block.granuleCount)
            // One empty slab is kept: a program that opens one token at a time maps nothing anew.
            guard slab.isEmpty, state.slabs.contains(where: { $0 !== slab && $0.isEmpty }) else { return }
            state.slabs.removeAll { $0 === slab }
            state.current = 0
        }
    }

    /// Number of slabs mapped now.
    var slabCount: Int { state.withLock { $0.slabs.count } }

    private static func take(
        _ granules: Int,
        from state: inout State,
        shard: SecretShard
    ) throws(SealingError) -> SecretBlock {
        if state.current < state.slabs.count,
            let block = SecretBlock(of: granules, from: state.slabs[state.current])
        {
            return block
        }
        for index in state.slabs.indices {
            guard let block = SecretBlock(of: granules, from: state.slabs[index]) else { continue }
            state.current = index
            return block
        }
        let slab = try SecretSlab(shard: shard)
        SecretMemory.note(isLocked: slab.mapping.isLocked)
        state.slabs.append(slab)
        state.current = state.slabs.count - 1
        guard let block = SecretBlock(of: granules, from: slab) else { throw SealingError(.outOfMemory) }
        return block
    }
}
