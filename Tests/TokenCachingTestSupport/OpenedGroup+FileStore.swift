// SPDX-License-Identifier: Apache-2.0

import FileStorage

@testable import TokenCaching

extension OpenedGroup {
    /// The store, where a test knows that it is the encrypted file.
    var fileStore: FileStore? { store as? FileStore }
}
