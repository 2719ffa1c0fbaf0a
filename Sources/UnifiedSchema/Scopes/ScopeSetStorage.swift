// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import Synchronization

/// The storage of a ``ScopeSet``: its text, and its members once they are needed. Most sets that are read are never
/// compared.
final class ScopeSetStorage: Sendable {
    let text: UTF8Text
    private let lazyMembers = AtomicLazyReference<Members>()

    init(_ text: UTF8Text) {
        self.text = text
    }

    /// The scopes, folded.
    final class Members: Sendable {
        let openID: Set<UTF8Text>
        /// All other scopes: resource scopes.
        let ordinary: Set<UTF8Text>

        init(_ scopes: [UTF8Text]) {
            let folded = Set(scopes.map { $0.asciiLowercased() })
            openID = folded.filter { OpenIDScope($0.bytes) != nil }
            ordinary = folded.subtracting(openID)
        }
    }

    /// Computed at the first use, at most once by each thread that needs it at that moment; after that, one atomic
    /// load.
    var members: Members {
        lazyMembers.load() ?? lazyMembers.storeIfNil(Members(scopes))
    }

    /// The individual scopes in the given order and case, with repetitions.
    var scopes: [UTF8Text] {
        let bytes = text.bytes
        var scopes: [UTF8Text] = []
        var start = 0
        for offset in 0...bytes.byteCount {
            guard offset == bytes.byteCount || ASCII.isWhitespace(bytes.byte(at: offset)) else { continue }
            if offset > start, let scope = UTF8Text(utf8: bytes.extracting(start..<offset)) { scopes.append(scope) }
            start = offset + 1
        }
        return scopes
    }
}
