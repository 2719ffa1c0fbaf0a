// SPDX-License-Identifier: Apache-2.0

import Foundation
import Sealing
import Testing

@Suite("Secret arena")
struct SecretArenaTests {
    @Test("gives every secret memory of its own, whatever threads do")
    func threads() async throws {
        await withTaskGroup(of: Int.self) { group in
            for thread in 0..<8 {
                group.addTask { (try? churn(thread: UInt8(thread), rounds: 400)) ?? -1 }
            }
            for await failures in group { #expect(failures == 0) }
        }
    }

    @Test("maps no more memory for secrets that come and go")
    func steadyState() async {
        await #expect(processExitsWith: .success) {
            for round in 0..<100_000 { _ = try SecretBytes(byteCount: 1 + round % 5000) }
            let usage = SecretArena.usage
            #expect(usage.granules == 0)
            #expect(usage.slabs == 1)
        }
    }

    @Test("adds slabs when all are full and uses them all again")
    func growth() async {
        await #expect(processExitsWith: .success) {
            for _ in 0..<3 {
                let secrets = try (0..<200).map { _ in try Kept(byteCount: 2048) }
                #expect(SecretArena.usage.granules == 200 * 32)
                #expect(SecretArena.usage.slabs == 7)
                _ = secrets.count
            }
            #expect(SecretArena.usage.granules == 0)
            #expect(SecretArena.usage.slabs == 7)
        }
    }

    @Test("unmaps large secrets when they go")
    func largeSecrets() async {
        await #expect(processExitsWith: .success) {
            _ = try SecretBytes(byteCount: 1 << 20)
            let before = linesOfProcessFile("maps").count
            for _ in 0..<100 { _ = try SecretBytes(byteCount: 1 << 20) }
            #expect(linesOfProcessFile("maps").count < before + 50)
        }
    }

    @Test("wipes the whole capacity of a secret that goes")
    func wiping() async {
        await #expect(processExitsWith: .success) {
            var address: UInt = 0
            do {
                var secret = try SecretBytes.random(byteCount: 100)
                address = addressOf(secret)
                secret.truncate(to: 3)
            }
            let bytes = unsafe UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: address), count: 128)
            #expect(unsafe bytes.allSatisfy { $0 == 0 })
        }
    }

    @Test("keeps secrets out of swap, core dumps and children", .disabled(if: isSanitized), arguments: [32, 1 << 20])
    func flags(byteCount: Int) throws {
        let secret = try SecretBytes.random(byteCount: byteCount)
        let flags = try #require(mappingFlags(at: addressOf(secret)))
        #expect(flags.contains("dd"))
        #expect(flags.contains("wf"))
        #expect(flags.contains("lo") == SecretMemory.isLocked)
        _ = secret.byteCount
    }

    @Test("works on and says so where no memory may be locked", .disabled(if: isSanitized))
    func lockLimit() async {
        await #expect(processExitsWith: .success) {
            // The limit binds no superuser.
            if geteuid() == 0 { #expect(setuid(65534) == 0) }
            var limit = rlimit(rlim_cur: 0, rlim_max: 0)
            _ = unsafe setrlimit(memoryLockLimit, &limit)
            let secret = try SecretBytes.random(byteCount: 32)
            #expect(secret.byteCount == 32)
            #expect(!SecretMemory.isLocked)
        }
    }
}

/// `RLIMIT_MEMLOCK`, which Swift does not see.
private let memoryLockLimit = __rlimit_resource_t(8)

/// A secret that an array can hold.
final class Kept: Sendable {
    let secret: SecretBytes
    init(byteCount: Int) throws { secret = try SecretBytes(byteCount: byteCount) }
}

func addressOf(_ secret: borrowing SecretBytes) -> UInt {
    unsafe secret.bytes.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
}

/// Fills secrets of many sizes with the number of the thread and counts those that did not stay so.
private func churn(thread: UInt8, rounds: Int) throws -> Int {
    var failures = 0
    var kept: [Kept] = []
    for round in 0..<rounds {
        let size = [16, 64, 100, 700, 2048, 4096, 9000, 32768][(round &* 7 + Int(thread)) % 8]
        var secret = try SecretBytes(byteCount: size)
        if !secret.copied.allSatisfy({ $0 == 0 }) { failures += 1 }
        do {
            var bytes = secret.mutableBytes
            for index in 0..<size { bytes.storeBytes(of: thread + 1, toByteOffset: index, as: UInt8.self) }
        }
        if round % 3 == 0 { kept.append(try Kept(byteCount: 64)) }
        if round % 50 == 0 { kept.removeAll() }
        if !secret.copied.allSatisfy({ $0 == thread + 1 }) { failures += 1 }
    }
    return failures
}

/// The flags that the kernel reports of the mapping at `address`.
private func mappingFlags(at address: UInt) -> [Substring]? {
    var isWanted = false
    for line in linesOfProcessFile("smaps") {
        let range = line.prefix { $0 != " " }.split(separator: "-")
        if range.count == 2, let start = UInt(range[0], radix: 16), let end = UInt(range[1], radix: 16) {
            isWanted = start <= address && address < end
        } else if isWanted, line.hasPrefix("VmFlags:") {
            return line.split(separator: " ")
        }
    }
    return nil
}
