// SPDX-License-Identifier: Apache-2.0

import Glibc
import GroupDirectory
import RecordStorage
import Sealing
import SecretServiceStorage
import SystemPackage

/// Saves numbers into a group in a keyring, one after the other, and says each one once it is acknowledged.
///
/// Arguments: "waits" to make a client and wait for the end of the input; "rekeys", the address of the bus, the root, the
/// group and the number of a step to change keys and die at this step; what ``DyingGroup`` takes; else the address of the bus, the root, the group, the
/// number of the worker, the first number, the last one.
@main
struct KeyringWorker {
    static func main() throws {
        let arguments = CommandLine.arguments
        if arguments.dropFirst() == ["waits"] {
            // Has made a client, which has not been asked for anything.
            let client = SecretServiceClient()
            say("ready")
            while readLine() != nil {}
            client.close()
            return
        }
        if arguments.count == 6, arguments[1] == "rekeys", let step = Int(arguments[5]) {
            return try rekey(open(arguments[2], arguments[3], arguments[4]), dyingAt: step)
        }
        if arguments.count == 6, ["migrates", "creates"].contains(arguments[1]) {
            let (root, group, store) = (arguments[2], arguments[3], arguments[4])
            return try DyingGroup.run(arguments[1], root, group, store, dyingAt: arguments[5])
        }
        guard arguments.count == 7, let worker = UInt64(arguments[4]), let first = UInt64(arguments[5]),
            let last = UInt64(arguments[6])
        else { exit(2) }
        let store = try open(arguments[1], arguments[2], arguments[3])
        var number = first
        while number <= last {
            do throws(StorageError) {
                try save(number, by: worker, in: store)
            } catch {
                // Who waits long for the others tries again. Anything else is a failure.
                guard error.code == .busy || error.code == .timeout else { throw error }
                continue
            }
            say("\(number)")
            number += 1
        }
    }

    private static func open(_ address: String, _ root: String, _ group: String) throws -> SecretServiceStore {
        let directory = try GroupDirectory.open(root: FilePath(root), name: GroupName(group), access: .readWrite)
        let location = SecretServiceLocation(busAddress: address)
        return try SecretServiceStore.open(in: directory, location, until: .after(.seconds(20)), resealing: kept)
    }

    /// The boxes are made up, and stay as they are.
    private static let kept = KeyringResealing { _, facts, secret, _, _ throws(StorageError) in (facts, secret) }

    private static func rekey(_ store: SecretServiceStore, dyingAt step: Int) throws {
        var count = 0
        func onStep(_: SecretServiceStore.RekeyStep) -> StorageError? {
            count += 1
            if count == step { kill(getpid(), SIGKILL) }
            return nil
        }
        try store.replaceKeys(until: .after(.seconds(20)), onStep: onStep) { keys throws(StorageError) in
            do throws(SealingError) {
                return try keys.nextEpoch()
            } catch {
                throw StorageError(.system)
            }
        }
    }

    /// At once, and in one piece: it may be killed at any moment.
    private static func say(_ text: String) {
        let line = Array("\(text)\n".utf8)
        _ = unsafe write(1, line, line.count)
    }

    /// The number, twice in the partition that all share, and once in one of the worker's own: never one without the other
    /// in one partition.
    private static func save(_ number: UInt64, by worker: UInt64, in store: SecretServiceStore) throws(StorageError) {
        try store.commit(until: .after(.seconds(20))) { _, batch throws(StorageError) in
            for (partition, copy) in [(0, 0), (0, 1), (worker + 1, 0)] as [(UInt64, UInt64)] {
                let facts = (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
                try batch.put(
                    NewRecord(
                        tag: RecordTag(first: worker, second: copy),
                        partition: PartitionTag(first: partition &* 0x9E37_79B9_7F4A_7C15, second: partition),
                        kind: RecordKind(rawValue: 1),
                        facts: facts,
                        secret: [UInt8](repeating: UInt8(worker) | 0x80, count: 500)
                    )
                )
            }
        }
    }
}
