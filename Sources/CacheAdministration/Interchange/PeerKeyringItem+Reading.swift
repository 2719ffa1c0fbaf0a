// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import RecordStorage
internal import Sealing
internal import SecretServiceStorage
internal import TokenCaching

extension PeerKeyringItem {
    /// Reads the document in the item.
    ///
    /// - Parameter timeout: how long to wait for the keyring; if the user may be prompted, at least two minutes.
    /// - Returns: the source of its bytes.
    /// - Throws: `notFound` if no item has these attributes; `invalidRequest` if there are none; errors of the keyring.
    func open(within timeout: Duration) throws(StorageError) -> any ByteSource {
        var wanted = attributes
        wanted["xdg:schema"] = schema
        guard !wanted.isEmpty else {
            throw StorageError(
                .invalidRequest,
                detail: "a keyring item is looked up by a schema, by attributes, or both"
            )
        }
        guard wanted.allSatisfy({ !$0.utf8.contains(0) && !$1.utf8.contains(0) }) else {
            throw StorageError(.invalidRequest, detail: "an attribute contains a zero byte")
        }
        let client = SecretServiceClient()
        defer { client.close() }
        let document: PeerDocument?
        do throws(SecretServiceError) {
            document = try PeerDocument.read(
                wanted.sorted { $0.key < $1.key },
                from: client,
                until: .after(allowsPrompt ? max(timeout, .seconds(120)) : timeout),
                prompts: allowsPrompt ? .allowed : .never
            )
        } catch {
            throw StorageError(error)
        }
        guard let document else { throw StorageError(.notFound, detail: "the keyring has no such item") }
        return BytesSource(document)
    }
}
