// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage
internal import Sealing

extension StorageError {
    /// A sealing error about something in the keyring.
    init(sealing error: SealingError) {
        switch error.code {
        case .forkedProcess: self.init(.forkedProcess, detail: "keys are not available in a forked child")
        case .outOfMemory: self.init(.outOfMemory)
        case .keyRejected: self.init(.keyRejected, detail: "the key item does not open the group")
        case .authenticationFailed, .malformed: self.init(.damaged, detail: "an item in the keyring does not verify")
        default: self.init(.damaged, detail: "an item in the keyring cannot be used")
        }
    }
}
