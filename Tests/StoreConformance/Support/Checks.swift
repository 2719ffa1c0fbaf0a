// SPDX-License-Identifier: Apache-2.0

import RecordStorage

/// Fails the case unless `condition` holds.
func check(
    _ condition: Bool,
    _ text: @autoclosure () -> String,
    _ file: StaticString = #fileID,
    _ line: UInt = #line
) throws {
    if !condition { throw ConformanceFailure(text(), file, line) }
}

/// Fails the case unless both are the same.
func checkEqual<Value: Equatable>(
    _ found: Value,
    _ expected: Value,
    _ text: @autoclosure () -> String,
    _ file: StaticString = #fileID,
    _ line: UInt = #line
) throws {
    if found != expected { throw ConformanceFailure("\(text()): \(found) instead of \(expected)", file, line) }
}

/// Fails the case unless `body` throws an error of this code.
func checkFails<Result>(
    _ code: StorageError.Code,
    _ text: @autoclosure () -> String,
    _ file: StaticString = #fileID,
    _ line: UInt = #line,
    _ body: () throws -> Result
) throws {
    do {
        _ = try body()
    } catch let error as StorageError {
        try checkEqual(error.code, code, text(), file, line)
        return
    }
    throw ConformanceFailure("\(text()): nothing was thrown instead of \(code)", file, line)
}

/// Fails the case unless `changes` name at least these partitions.
func checkNames(
    _ changes: StoreChanges,
    _ partitions: Set<PartitionTag>,
    _ file: StaticString = #fileID,
    _ line: UInt = #line
) throws {
    switch changes {
    case .everything: return
    case .partitions(let named) where named.isSuperset(of: partitions): return
    default: throw ConformanceFailure("changes \(changes) do not name all of \(partitions)", file, line)
    }
}
