// SPDX-License-Identifier: Apache-2.0

package import UnifiedSchema

extension TokenCache {
    /// The metadata of an authority that a process of the group stored in the last day, without blocking the calling
    /// thread. Check it like a server's response.
    ///
    /// - Parameter url: the URL of the metadata.
    /// - Returns: the document, and when it was received; nil if none is stored.
    /// - Throws: the errors of every call that reads.
    nonisolated(nonsending) package func storedMetadata(
        at url: String
    ) async throws(TokenCacheError) -> (receivedOn: Timestamp, json: JSONValue)? {
        try await engine.onPool { () throws(TokenCacheError) in
            let document = try translating(try self.engine.storedMetadata(at: url))
            return document.map { (Timestamp(secondsSince1970: $0.receivedOn), $0.json) }
        }
    }

    /// Stores the metadata of an authority in the group for 24 hours, without blocking the calling thread. A document
    /// of more than 8 KiB is not stored.
    ///
    /// - Parameters:
    ///   - json: the document.
    ///   - url: the URL that it was received from.
    /// - Throws: the errors of every call that writes.
    nonisolated(nonsending) package func storeMetadata(
        _ json: JSONValue,
        at url: String
    ) async throws(TokenCacheError) {
        try await engine.onPool { () throws(TokenCacheError) in
            try translating(try self.engine.storeMetadata(json, at: url))
        }
    }
}
