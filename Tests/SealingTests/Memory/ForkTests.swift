import Foundation
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

            let status = inForkedChild {
                var uses = Uses()
                uses.expectRefusal { try SecretMemory.checkNotForked() }
                uses.expectRefusal { _ = try SecretBytes(byteCount: 1) }
                uses.expectRefusal { _ = try SecretBytes(byteCount: 1 << 20) }
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
                uses.expectRefusal { _ = try withSpan([1]) { try sealer.handle($0) } }
                uses.expectRefusal { _ = try slots.unlock(with: slotSecret) }
                uses.expectRefusal { _ = try KeySlots.create(for: keys, slots: [NewSlot(slotSecret)]) }
                uses.expectRefusal { _ = try slots.removing(slots.slots[0].id, keys: keys) }
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

    @Test("is noticed by the process id where pages are not wiped")
    func fallback() async {
        await #expect(processExitsWith: .success) {
            let sentinel = ForkSentinel(usesProcessID: true)
            #expect(!sentinel.isForkedChild)
            #expect(inForkedChild { sentinel.isForkedChild ? 0 : 1 } == 0)
        }
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
    let status = inForkedChild {
        let status = body(secret)
        return status
    }
    secret.truncate(to: 1)
    return status
}

private func inForkedChildFinishing(_ hash: consuming KeyedHash) throws -> Int32 {
    let process = fork()
    if process == 0 {
        do {
            _ = try hash.finalize()
            _exit(1)
        } catch {
            _exit(error.code == .forkedProcess ? 0 : 2)
        }
    }
    return exitStatus(of: process)
}

/// Runs `body` in a forked child, by no other means than `fork`, and gives what it returns.
private func inForkedChild(_ body: () -> Int32) -> Int32 {
    let process = fork()
    if process == 0 { _exit(body()) }
    return exitStatus(of: process)
}

private func exitStatus(of process: pid_t) -> Int32 {
    var status: Int32 = 0
    guard process > 0, unsafe waitpid(process, &status, 0) == process, status & 0x7F == 0 else { return -1 }
    return status >> 8 & 0xFF
}

/// Swift hides `fork`.
private func fork() -> pid_t {
    guard let symbol = unsafe dlsym(nil, "fork") else { return -1 }
    let call = unsafe unsafeBitCast(symbol, to: (@convention(c) () -> pid_t).self)
    return call()
}
