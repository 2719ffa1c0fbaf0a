// SPDX-License-Identifier: Apache-2.0

internal import CSecretService

/// A session between a connection and one run of the service, encrypted if the service supports it, as all known ones
/// do. Confined to the thread of its client.
@safe final class SecretSession {
    // SAFETY: owns one reference.
    private let pointer: OpaquePointer

    @unsafe init(owning pointer: OpaquePointer) {
        unsafe self.pointer = pointer
    }

    deinit {
        unsafe secret_object_unref(UnsafeMutableRawPointer(pointer))
    }

    var path: String { unsafe String(cString: secret_session_path(pointer)) }

    /// Encodes a secret for transfer; `nil` if libsecret fails.
    func encode(_ bytes: RawSpan, contentType: String) -> BusValue? {
        unsafe bytes.withUnsafeBytes { bytes in
            guard let encoded = unsafe secret_encode(pointer, bytes.baseAddress, bytes.count, contentType) else {
                return nil
            }
            return unsafe BusValue(owning: encoded)
        }
    }

    /// Passes the bytes of a transferred secret to `body`. libsecret owns their memory and wipes it afterwards.
    ///
    /// - Returns: `nil` if the value is invalid.
    func decode<Result, Failure: Error>(
        _ encoded: BusValue,
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard let value = unsafe secret_decode(pointer, encoded.pointer) else { return nil }
        defer { unsafe secret_value_release(value) }
        var count = 0
        let bytes = unsafe secret_value_bytes(value, &count)
        // SAFETY: the value keeps its bytes until it is released.
        return try unsafe body(RawSpan(_unsafeBytes: UnsafeRawBufferPointer(start: bytes, count: count)))
    }
}
