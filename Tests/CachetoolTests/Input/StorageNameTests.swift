// SPDX-License-Identifier: Apache-2.0

import Testing
import TokenCaching

@testable import ToolInterface
@testable import cachetool

@Suite("The kinds of store that can be typed")
struct StorageNameTests {
    /// The kinds that a group can have.
    static let kinds = [any StorageBackend].all.map { StorageLocation.Kind($0.kind).rawValue }

    @Test("every kind that a group can have is a value of --storage, and of --to of a migration", arguments: kinds)
    func values(kind: String) {
        #expect(StorageName(rawValue: kind) != nil)
        #expect(MigrationTarget(rawValue: kind) != nil)
    }

    @Test("the place of a group in the keyring is shown as the keyring, that of any other as its folder")
    func place() {
        #expect(StorageLocation.Kind.keyring.shownPlace(folder: "/a/b") == "in the keyring")
        for kind in [StorageLocation.Kind.file, .unknown] { #expect(kind.shownPlace(folder: "/a/b") == "/a/b") }
    }
}
