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
        return PeerDocumentSource(document)
    }
}

/// A document from the keyring, in secret memory.
private final class PeerDocumentSource: ByteSource {
    private let document: PeerDocument
    private var position = 0

    init(_ document: PeerDocument) {
        self.document = document
    }

    var totalByteCount: UInt64? { UInt64(document.json.byteCount) }

    var mayWait: Bool { false }

    func read(into room: inout MutableRawSpan, from start: Int) throws(StorageError) -> Int {
        let count = min(document.json.byteCount - position, room.byteCount - start)
        guard count > 0 else { return 0 }
        let piece = position..<position + count
        document.json.withBytes { room.copy($0.extracting(piece), to: start) }
        position += count
        return count
    }
}
