// SPDX-License-Identifier: Apache-2.0

package import RecordStorage
package import Sealing
internal import SystemPackage

extension JournalHeader {
    /// The key-slot block, decoded.
    func decodedKeySlots() throws(StorageError) -> KeySlots {
        do throws(SealingError) {
            return try KeySlots(encoded: keySlots)
        } catch {
            throw StorageError(sealing: error, detail: "the key slots in the header are malformed")
        }
    }
}

extension StorageError {
    /// A sealing error as a storage error.
    package init(sealing error: SealingError, path: String? = nil, detail: String? = nil) {
        switch error.code {
        case .forkedProcess: self.init(.forkedProcess, path: path, detail: detail)
        case .outOfMemory: self.init(.outOfMemory, path: path, detail: detail)
        case .keyRejected, .invalidSecret: self.init(.keyRejected, path: path, detail: detail)
        case .unsupportedKDF: self.init(.unsupportedKDF, path: path, detail: detail)
        case .unsupportedVersion: self.init(.unsupportedVersion, path: path, detail: detail)
        case .tooLarge: self.init(.tooLarge, path: path, detail: detail)
        case .foreignKeys: self.init(.foreign, path: path, detail: detail)
        default: self.init(.damaged, path: path, detail: detail ?? error.description)
        }
    }
}
