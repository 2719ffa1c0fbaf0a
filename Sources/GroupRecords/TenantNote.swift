// SPDX-License-Identifier: Apache-2.0

package import RecordStorage
package import UnifiedSchema

/// The tenant that a name in a request resolved to, for one account in one cloud: an internal record.
package struct TenantNote: Hashable, Sendable {
    package private(set) var record: InternalRecordFacts

    /// - Parameters:
    ///   - name: the name, folded.
    ///   - environment: the preferred host of the cloud.
    ///   - realm: the tenant, folded.
    ///   - account: the home account id, folded.
    ///   - time: seconds since 1970.
    package init(name: UTF8Text, environment: UTF8Text, realm: UTF8Text, account: UTF8Text, at time: Int64) {
        record = InternalRecordFacts()
        record[text: .account] = account.string
        record[number: .time] = time
        record[text: .environment] = environment.string
        record[text: .name] = name.string
        record[text: .realm] = realm.string
    }

    /// Decodes the plaintext of a facts box of ``InternalRecordKind/tenantNote``.
    ///
    /// - Throws: `damaged` for content that no save or import would write, `unsupportedVersion` for a later version.
    package init(decoding bytes: [UInt8]) throws(StorageError) {
        record = try InternalRecordFacts(decoding: bytes)
        let folded = [environment, account].map { UTF8Text($0) }
        let tenants = [name, realm].map { UTF8Text($0) }
        guard folded.allSatisfy({ !$0.isEmpty && $0.normalized() == $0 }),
            tenants.allSatisfy({ TenantName.comparable($0) == $0 })
        else { throw StorageError(.damaged, detail: "a tenant note is malformed") }
    }

    package func encoded() -> [UInt8] { record.encoded() }

    package var account: String { record[text: .account] ?? "" }
    package var environment: String { record[text: .environment] ?? "" }
    package var name: String { record[text: .name] ?? "" }
    package var realm: String { record[text: .realm] ?? "" }

    /// The maximum number per account; beyond it the oldest note is removed.
    package static let limit = 64
}
