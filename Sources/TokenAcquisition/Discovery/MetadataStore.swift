// SPDX-License-Identifier: Apache-2.0

internal import TokenCaching
internal import UnifiedSchema

/// Metadata that discovery stores in the group for other processes. If reading or writing it fails, the only cost is
/// another request.
struct MetadataStore: Sendable {
    let cache: TokenCache

    /// A document received within the last day, and when it was received.
    func document(at url: String) async -> (receivedOn: Timestamp, json: JSONValue)? {
        try? await cache.storedMetadata(at: url)
    }

    func keep(_ json: JSONValue, at url: String) async {
        try? await cache.storeMetadata(json, at: url)
    }

    func forget(_ url: String) async {
        try? await cache.removeMetadata(at: url)
    }

    func keep(_ clouds: CloudMetadata) async {
        try? await cache.learn(clouds)
    }
}
