// SAFETY: the array outlives the span of it.

internal import Sealing

/// What is to be kept in an item: text, as the services change other bytes.
enum SecretText: Sendable {
    /// It holds nothing secret that is not sealed.
    case sealed([UInt8])
    case secret(SecretHolder)

    /// Secret bytes that several closures may hold.
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
