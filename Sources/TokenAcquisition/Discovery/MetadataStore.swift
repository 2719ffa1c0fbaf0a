// SPDX-License-Identifier: Apache-2.0

internal import TokenCaching
internal import UnifiedSchema

/// What discovery keeps in the group for the other processes. A failure to read or write it costs a request, and nothing
/// else.
struct MetadataStore: Sendable {
    let cache: TokenCache

    /// A document of the last day, and when it was received.
    func document(at url: String) async -> (receivedOn: Timestamp, json: JSONValue)? {
        try? await cache.storedMetadata(at: url)
    }

    func keep(_ json: JSONValue, at url: String) async {
        try? await cache.storeMetadata(json, at: url)
    }

    func keep(_ clouds: CloudMetadata) async {
        try? await cache.learn(clouds)
    }
}
