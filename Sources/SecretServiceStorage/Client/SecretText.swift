// SPDX-License-Identifier: Apache-2.0

// SAFETY: the array outlives the span of it.

internal import Sealing

/// The content of an item. It is text, because services alter other bytes.
enum SecretText: Sendable {
    /// Text in which all secrets are sealed.
    case sealed([UInt8])
    case secret(SecretHolder)

    /// Secret bytes that several closures can share.
    final class SecretHolder: Sendable {
        let bytes: SecretBytes

        init(_ bytes: consuming SecretBytes) {
            self.bytes = bytes
        }
    }

    func withBytes<Result, Failure: Error>(_ body: (RawSpan) throws(Failure) -> Result) throws(Failure) -> Result {
        switch self {
        case .sealed(let bytes): try unsafe body(bytes.span.bytes)
        case .secret(let holder): try holder.bytes.withBytes(body)
        }
    }
}
