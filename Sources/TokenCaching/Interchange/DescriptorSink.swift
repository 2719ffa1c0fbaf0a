internal import SystemPackage

/// A document that goes into a pipe, a terminal, or wherever the caller's descriptor leads.
final class DescriptorSink: ByteSink {
    private let file: FileDescriptor
    private let isOwned: Bool

    init(_ descriptor: Int32, isOwned: Bool = false) {
        file = FileDescriptor(rawValue: descriptor)
        self.isOwned = isOwned
    }

    deinit {
        if isOwned { try? file.close() }
    }

    func write(_ bytes: RawSpan) throws(TokenCacheError) {
        let result: Result<Int, any Error> = unsafe bytes.withUnsafeBytes { bytes in
            Result { unsafe try file.writeAll(bytes) }
        }
        if case .failure(let error) = result {
            let errno = error as? Errno
            throw TokenCacheError(
                errno == .noSpace ? .full : .system,
                detail: "writing the document failed",
                errno: errno
            )
        }
    }

    func finish() {}
}
