// SPDX-License-Identifier: Apache-2.0

import TokenAcquisition
import TokenCaching
import ToolInterface

extension ClientCredentialOptions {
    /// What the client authenticates with; nil for a public client. Reads the descriptor, if one was typed.
    ///
    /// - Parameter keys: the options for keys, one of which may name a descriptor too.
    /// - Returns: the credential.
    /// - Throws: ``CommandFailure`` if the descriptor cannot be read, or is that of a passphrase; `invalidRequest` if it has
    ///   no secret.
    func credential(beside keys: KeyOptions) throws -> ClientCredential? {
        if let clientSecretFile { return .secret { try ClientSecret(readingFileAt: clientSecretFile) } }
        if let clientAssertionFile { return .assertion(inFileAt: clientAssertionFile) }
        guard let clientSecretFd else { return nil }
        if clientSecretFd.number == keys.passphraseFd?.number {
            throw CommandFailure(.usage, "--passphrase-fd and --client-secret-fd need two descriptors.")
        }
        let secret = try SecretLine.read(from: clientSecretFd, asking: "Client secret") {
            (descriptor) throws(TokenCacheError) in try ClientSecret(readingLineFrom: descriptor)
        }
        // A descriptor can be read only once.
        let kept = KeptSecret(secret)
        return .secret { try kept.secret.copy() }
    }
}

private final class KeptSecret: Sendable {
    let secret: ClientSecret

    init(_ secret: consuming ClientSecret) {
        self.secret = secret
    }
}
