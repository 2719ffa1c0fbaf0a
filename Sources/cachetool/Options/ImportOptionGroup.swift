// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CacheAdministration
import TokenCaching
import ToolInterface

/// The entries that `cachetool import` imports and skips.
struct ImportOptionGroup: ParsableArguments {
    @Option(
        name: .customLong("from"),
        help: ArgumentHelp("The library or program whose cache to import.", valueName: "library")
    )
    var format = ImportedFormat.msal

    @OptionGroup var item: KeyringItemOptions

    @Flag(help: "Skip bad entries instead of refusing the file.")
    var partial = false

    @Flag(help: "Replace newer entries too, and undo sign-outs.")
    var replace = false

    @Option(help: ArgumentHelp("Refuse a file larger than this, such as 64M or 4G.", valueName: "size"))
    var maxSize = ByteSize.standardImport
}
