import Glibc
import GroupDirectory
import RecordStorage
import SecretServiceStorage
import SystemPackage

/// Saves numbers into a group in a keyring, one after the other, and says each one once it is acknowledged.
///
/// Arguments: "waits" to make a client and wait for the end of the input; else the address of the bus, the root, the group, the number of the worker, the first number, the last one.
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
        guard arguments.count == 7, let worker = UInt64(arguments[4]), let first = UInt64(arguments[5]),
            let last = UInt64(arguments[6])
        else { exit(2) }
        let directory = try GroupDirectory.open(
            root: FilePath(arguments[2]),
            name: GroupName(arguments[3]),
            access: .readWrite
        )
        let place = SecretServicePlace(busAddress: arguments[1])
        let store = try SecretServiceStore.open(in: directory, place, until: .after(.seconds(20)))
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
