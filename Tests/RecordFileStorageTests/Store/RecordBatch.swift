// SPDX-License-Identifier: Apache-2.0

import GroupDirectory
import RecordStorage
import SystemPackage

/// The operations of one transaction.
final class RecordBatch: BatchWriter {
    /// The last operation on each record.
    private var puts: [RecordList.Key: NewRecord] = [:]
    /// Whether each secret is to be overwritten.
    private var removals: [RecordList.Key: Bool] = [:]
    private var removesAll = false

    func put(_ record: NewRecord) throws(StorageError) {
        let key = RecordList.Key(partition: record.partition, tag: record.tag)
        puts[key] = record
        removals[key] = nil
    }

    func remove(_ removal: Removal) throws(StorageError) {
        let key = RecordList.Key(partition: removal.partition, tag: removal.tag)
        puts[key] = nil
        removals[key] = removal.erasesSecret
    }

    func removeAll() throws(StorageError) { removesAll = true }

    /// It keeps no room, and nothing besides its records.
    func declareRemoval(of scope: RemovalScope) {}

    /// Writes the files of new records, and says what the list is to be then; `nil` where nothing is to be done.
    func apply(to old: RecordList, in directory: GroupDirectory) throws(StorageError) -> RecordChange? {
        var change = RecordChange(list: old)
        for (number, entry) in old.entries {
            let erases = removesAll ? true : removals[entry.key]
            guard erases != nil || puts[entry.key] != nil else { continue }
            change.list.entries[number] = nil
            change.removed.append((number, erases ?? false))
        }
        if puts.isEmpty, change.removed.isEmpty, !removesAll { return nil }
        change.list.sequence += 1
        for record in puts.values {
            try change.list.add(record, sequence: change.list.sequence, in: directory)
        }
        return change
    }
}

/// A list to be put in force, and the files that count no more then.
struct RecordChange {
    var list: RecordList
    var removed: [(number: UInt64, erases: Bool)] = []

    /// Once the list is durable.
    func removeFiles(in directory: GroupDirectory) throws(StorageError) {
        for (number, erases) in removed {
            if erases {
                try directory.erase(RecordList.fileName(number))
            } else {
                try directory.removeFile(RecordList.fileName(number))
            }
        }
    }
}

extension RecordList {
    /// Writes the file of a record, which counts once the list is in force.
    mutating func add(
        _ record: NewRecord,
        sequence: UInt64,
        in directory: GroupDirectory
    ) throws(StorageError) {
        let temporary = try directory.makeTemporary()
        try writing(Self.fileName(nextFile), in: directory) { () throws(Errno) in
            try Syscalls.write(temporary.descriptor, at: 0, record.facts + record.secret)
        }
        try directory.install(temporary, as: Self.fileName(nextFile))
        entries[nextFile] = Entry(record, sequence: sequence)
        nextFile += 1
    }

    /// Puts the list in force, durably, and tells all processes.
    func install(in directory: GroupDirectory) throws(StorageError) {
        let temporary = try directory.makeTemporary()
        let bytes = try encoded
        try writing(Self.fileName, in: directory) { () throws(Errno) in
            try Syscalls.write(temporary.descriptor, at: 0, bytes)
        }
        try directory.install(temporary, as: Self.fileName)
        directory.revision.announce(sequence)
    }
}

extension GroupDirectory {
    /// Overwrites a file and leaves it there, empty: whoever knows the record finds that it was erased.
    func erase(_ name: String) throws(StorageError) {
        let file = try openFile(name, .readingAndWriting)
        try writing(name, in: self) { () throws(Errno) in
            try Syscalls.write(file.descriptor, at: 0, [UInt8](repeating: 0, count: Int(file.identity.size)))
            try Syscalls.syncData(file.descriptor)
            try Syscalls.truncate(file.descriptor, to: 0)
        }
    }
}

private func writing(
    _ name: String,
    in directory: GroupDirectory,
    _ body: () throws(Errno) -> Void
) throws(StorageError) {
    do throws(Errno) {
        try body()
    } catch {
        let code: StorageError.Code = error == .noSpace ? .full : .system
        throw StorageError(code, path: directory.path(of: name), detail: "writing the file", errno: error)
    }
}
