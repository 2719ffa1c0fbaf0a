// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import Sealing
import Testing

@Suite("After fork")
struct ForkTests {
    @Test("every use of a key is refused")
    func refusal() async {
        await #expect(processExitsWith: .success) {
            let keys = try fixedKeys()
            let sealer = try RecordSealer(keys: keys)
            let box = try withSpan([1]) { try sealer.seal($0, role: .facts, tag: (1, 2), kind: 3, sequence: 4) }
            let secretBox = try withSpan([1]) { try sealer.seal($0, role: .secret, tag: (1, 2), kind: 3, sequence: 4) }
            let slots = try KeySlots.create(for: keys, slots: [NewSlot(keyFile(1))])
            let slotSecret = try keyFile(1)
            let key = try key(7)

            let status = Fork.inChild {
                var uses = Uses()
                uses.expectRefusal { _ = try withSpan([1]) { try AEAD.seal($0, key: key, authenticating: $0) } }
                uses.expectRefusal { _ = try withSpan(box) { try AEAD.open($0, key: key, authenticating: $0) } }
                uses.expectRefusal { _ = try withSpan(box) { try AEAD.openPublic($0, key: key, authenticating: $0) } }
                uses.expectRefusal { _ = try withSpan([1]) { try KeyedHash.hash128($0, key: key) } }
                uses.expectRefusal { _ = try withSpan([1]) { try KeyedHash.hash256($0, key: key) } }
                uses.expectRefusal { _ = try KeyedHash(key: key) }
                uses.expectRefusal { _ = try keys.subkey(.frame) }
                uses.expectRefusal { _ = try keys.nextEpoch() }
                uses.expectRefusal { _ = try RecordSealer(keys: keys) }
                uses.expectRefusal {
                    _ = try withSpan([1]) { try sealer.seal($0, role: .facts, tag: (1, 2), kind: 3, sequence: 4) }
                }
                uses.expectRefusal {
                    _ = try withSpan(box) { try sealer.openFacts($0, tag: (1, 2), kind: 3, sequence: 4) }
                }
                uses.expectRefusal {
                    _ = try withSpan(secretBox) { try sealer.openSecret($0, tag: (1, 2), kind: 3, sequence: 4) }
                }
                uses.expectRefusal { _ = try sealer.recordTag(section: [1], key: [2]) }
                uses.expectRefusal { _ = try sealer.partitionTag(.account, [[1]]) }
                uses.expectRefusal { _ = try withSpan([1]) { try sealer.searchTag(.username, $0) } }
                uses.expectRefusal { _ = try slots.unlock(with: slotSecret) }
                uses.expectRefusal { _ = try KeySlots.create(for: keys, slots: [NewSlot(slotSecret)]) }
                uses.expectRefusal { _ = try slots.adding(NewSlot(slotSecret), keys: keys) }
                return uses.failures
            }
            #expect(status == 0)
            // Nothing happened to the parent.
            #expect(try slots.unlock(with: slotSecret).isEqual(to: keys))
        }
    }

    @Test("secrets read as zeros and may go away")
    func wiped() async {
        await #expect(processExitsWith: .success) {
            let status = try aroundFork { secret in
                secret.copied.allSatisfy { $0 == 0 } ? 0 : 1
            }
            #expect(status == 0)
        }
    }

    @Test("a hash that was begun before is not finished")
    func begunHash() async {
        await #expect(processExitsWith: .success) {
            let key = try key(7)
            let status = try inForkedChildFinishing(KeyedHash(key: key))
            #expect(status == 0)
        }
    }

    @Test("a child makes secrets and keys of its own, and so does its child")
    func ownKeys() async {
        await #expect(processExitsWith: .success) {
            let old = try key(7)
            let status = Fork.inChild {
                guard worksAnew(old) else { return 1 }
                guard let own = try? key(8) else { return 2 }
                return Fork.inChild { worksAnew(old) && worksAnew(own) ? 0 : 1 } == 0 ? 0 : 3
            }
            #expect(status == 0)
            #expect(try withSpan([1]) { try KeyedHash.hash128($0, key: old) } != (0, 0))
        }
    }

    @Test("a child forked while threads allocate and free secret memory has its own")
    func busyParent() async {
        await #expect(processExitsWith: .success) {
            let old = try key(7)
            for _ in 0..<8 {
                Thread.detachNewThread {
                    while true {
                        _ = try? SecretBytes(byteCount: 30_000)
                        _ = try? SecretBytes(byteCount: 100_000)
                    }
                }
            }
            for _ in 0..<100 { #expect(Fork.inChild { worksAnew(old) ? 0 : 1 } == 0) }
        }
    }

    @Test("is noticed by the process id where pages are not wiped")
    func fallback() async {
        await #expect(processExitsWith: .success) {
            let sentinel = ForkSentinel(usesProcessID: true)
            let generation = sentinel.generation
            #expect(sentinel.isCurrent(generation))
            #expect(Fork.inChild { sentinel.isCurrent(generation) ? 1 : 0 } == 0)
            #expect(Fork.inChild { sentinel.isCurrent(sentinel.generation) ? 0 : 1 } == 0)
            #expect(sentinel.isCurrent(generation))
        }
    }
}

/// Whether a key of the parent is refused, and new ones seal and open.
private func worksAnew(_ old: borrowing SealingKey) -> Bool {
    do {
        _ = try withSpan([1]) { try KeyedHash.hash128($0, key: old) }
        return false
    } catch {
        guard (error as? SealingError)?.code == .forkedProcess else { return false }
    }
    do {
        let own = try key(9)
        let secrets = try (0..<40).map { _ in try Array(SecretBytes.random(byteCount: 30_000).copied) }
        let box = try withSpan(secrets[0]) { try AEAD.seal($0, key: own, authenticating: $0) }
        let opened = try withSpan(box) { box in
            try withSpan(secrets[0]) { try AEAD.openPublic(box, key: own, authenticating: $0) }
        }
        return opened == secrets[0]
    } catch {
        return false
    }
}

/// Counts what was not refused in a forked child.
private struct Uses {
    var failures: Int32 = 0

    mutating func expectRefusal(_ body: () throws -> Void) {
        do {
            try body()
            failures += 1
        } catch let error as SealingError where error.code == .forkedProcess {
        } catch {
            failures += 1
        }
    }
}

/// Makes a secret, forks, and gives the status of `body` in the child, where the secret then goes away.
private func aroundFork(_ body: (borrowing SecretBytes) -> Int32) throws -> Int32 {
    var secret = try SecretBytes.random(byteCount: 100)
    let status = Fork.inChild {
        let status = body(secret)
        return status
    }
    secret.truncate(to: 1)
    return status
}

private func inForkedChildFinishing(_ hash: consuming KeyedHash) throws -> Int32 {
    let child = Fork.start()
    if child == 0 {
        do {
            _ = try hash.finalize()
            _exit(1)
        } catch {
            _exit(error.code == .forkedProcess ? 0 : 2)
        }
    }
    return Fork.wait(child)
}
