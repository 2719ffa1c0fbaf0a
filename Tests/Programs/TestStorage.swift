import Foundation

/// The store that tests of several processes use: the one that a new group gets, or the one that
/// `TOKEN_CACHE_TEST_STORAGE` names, as group-worker knows it.
package enum TestStorage {
    package static let name = ProcessInfo.processInfo.environment["TOKEN_CACHE_TEST_STORAGE"] ?? "automatic"

    /// Whether records are in a file. What is told of a journal and its page is told of this store only.
    package static var isFile: Bool { name == "automatic" || name == "file" }
}
