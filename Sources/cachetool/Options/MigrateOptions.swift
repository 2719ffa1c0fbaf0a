// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ToolInterface

/// The destination of a migration.
struct MigrateOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The kind of store that is to keep the records.", valueName: "kind"))
    var to: MigrationTarget

    @Flag(help: "Have an item in the keyring open the file, in place of a key file.")
    var newKeyring = false

    func validate() throws {
        if newKeyring, !to.hasKeySlots {
            throw ValidationError("--new-keyring says what opens the file. It goes with --to file.")
        }
    }
}
