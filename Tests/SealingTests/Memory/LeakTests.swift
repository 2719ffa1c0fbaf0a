// SPDX-License-Identifier: Apache-2.0

import Foundation
import Sealing
import Testing

@Suite("Leaks", .disabled(if: isSanitized))
struct LeakTests {
    @Test("a secret that was sealed and opened is nowhere in memory after its release")
    func noCopies() async {
        await #expect(processExitsWith: .success) {
            let sealer = try RecordSealer(keys: .generate())
            // What to look for, in a form that is not itself what is looked for.
            let masked: [UInt8]
            let box: [UInt8]
            do {
                let secret = try SecretBytes.random(byteCount: 1000)
                masked = (0..<32).map { unsafe ~secret.bytes.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
                box = try sealer.seal(secret.bytes, role: .secret, tag: (1, 2), kind: 3, sequence: 4)
                #expect(occurrences(ofMasked: masked) > 0)
            }
            do {
                let opened = try sealer.openSecret(unsafe box.span.bytes, tag: (1, 2), kind: 3, sequence: 4)
                #expect(opened.byteCount == 1000)
            }
            #expect(occurrences(ofMasked: masked) == 0)
        }
    }

    @Test("a root key that sealed, hashed and was wrapped is nowhere in memory after its release")
    func noCopiesOfKeys() async {
        await #expect(processExitsWith: .success) {
            let root = try Canary()
            let tag = try Canary()
            try use(root, tag)
            #expect(root.occurrences > 0)
            #expect(tag.occurrences > 0)
            let (maskedRoot, maskedTag) = (root.masked, tag.masked)
            root.forget()
            tag.forget()
            #expect(occurrences(ofMasked: maskedRoot) == 0)
            #expect(occurrences(ofMasked: maskedTag) == 0)
        }
    }

    @Test("a key file and a passphrase that opened a slot are nowhere in memory after their release")
    func noCopiesOfSlotSecrets() async {
        await #expect(processExitsWith: .success) {
            let keyFile = try Canary()
            let passphrase = try Canary()
            try unlock(keyFile, passphrase)
            let (maskedKeyFile, maskedPassphrase) = (keyFile.masked, passphrase.masked)
            keyFile.forget()
            passphrase.forget()
            #expect(occurrences(ofMasked: maskedKeyFile) == 0)
            #expect(occurrences(ofMasked: maskedPassphrase) == 0)
        }
    }
}

/// 32 random bytes to be looked for.
private final class Canary {
    private var secret: SecretBytes?
    /// The complement, which is not itself what is looked for.
    let masked: [UInt8]

    init() throws {
        let secret = try SecretBytes.random(byteCount: 32)
        masked = (0..<32).map { unsafe ~secret.bytes.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
        self.secret = consume secret
    }

    var occurrences: Int { SealingTests.occurrences(ofMasked: masked) }

    func copy() throws -> SecretBytes {
        guard let copy = try secret?.copy() else { throw SealingError(.malformed) }
        return copy
    }

    func forget() { secret = nil }
}

private func use(_ root: Canary, _ tag: Canary) throws {
    let keys = GroupKeys(
        uuid: GroupUUID(),
        epoch: 1,
        rootKey: try SealingKey(root.copy()),
        tagKey: try SealingKey(tag.copy())
    )
    let sealer = try RecordSealer(keys: keys)
    let tags = try sealer.recordTag(section: [1], key: [2])
    let box = try withSpan([1]) { try sealer.seal($0, role: .facts, tag: tags, kind: 3, sequence: 4) }
    _ = try withSpan(box) { try sealer.openFacts($0, tag: tags, kind: 3, sequence: 4) }
    let slots = try KeySlots.create(for: keys, slots: [NewSlot(keyFile(1))])
    _ = try slots.unlock(with: keyFile(1)).nextEpoch()
}

private func unlock(_ keyFile: Canary, _ passphrase: Canary) throws {
    let slots = try KeySlots.create(
        for: fixedKeys(),
        slots: [
            NewSlot(.keyFile(keyFile.copy())), NewSlot(.passphrase(passphrase.copy()), parameters: .minimum),
        ]
    )
    _ = try slots.unlock(with: .keyFile(keyFile.copy()))
    _ = try slots.unlock(with: .passphrase(passphrase.copy()))
}

/// How often the bytes that `masked` is the complement of lie in the writable memory of this process.
private func occurrences(ofMasked masked: [UInt8]) -> Int {
    let memory = unsafe open("/proc/self/mem", O_RDONLY | O_CLOEXEC)
    defer { close(memory) }
    var count = 0
    var chunk = [UInt8](repeating: 0, count: 1 << 20)
    for line in linesOfProcessFile("maps") {
        let fields = line.split(separator: " ")
        let range = fields[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
        guard fields[1].hasPrefix("rw"), range.count == 2 else { continue }
        var position = range[0]
        while position < range[1] {
            let wanted = min(chunk.count, Int(range[1] - position))
            let got = unsafe pread(memory, &chunk, wanted, off_t(position))
            guard got > masked.count else { break }
            for start in 0...got - masked.count where chunk[start] == ~masked[0] {
                if masked.indices.allSatisfy({ chunk[start + $0] == ~masked[$0] }) { count += 1 }
            }
            // A copy across the edge of a chunk is met in the next one.
            position += UInt64(position + UInt64(got) < range[1] ? got - masked.count + 1 : got)
        }
    }
    return count
}
