// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ToolInterface

/// The destination of a migration.
struct MigrateOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The kind of store to migrate to.", valueName: "kind"))
    var to: MigrationTarget

    @Flag(help: "Let an item in the keyring open the file, instead of a key file.")
    var newKeyring = false

    func validate() throws {
        if newKeyring, !to.hasKeySlots {
            throw ValidationError("--new-keyring specifies what opens the file. Use it with --to file.")
        }
    }
}
