// SPDX-License-Identifier: Apache-2.0

import Programs
import SecretServiceStorage

extension PrivateKeyring {
    /// The default collection of this keyring, or another one.
    func location(collection: String? = nil) -> SecretServiceLocation {
        SecretServiceLocation(busAddress: address, collection: collection)
    }
}
