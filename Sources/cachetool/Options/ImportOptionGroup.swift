// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CacheAdministration
import TokenCaching
import ToolInterface

/// What `cachetool import` imports and skips.
struct ImportOptionGroup: ParsableArguments {
    @Option(name: .customLong("from"), help: ArgumentHelp("Whose cache it is.", valueName: "library"))
    var format = ImportedFormat.msal

    @Option(help: ArgumentHelp("The schema of the item, for --from keyring.", valueName: "name"))
    var schema: String?

    @Option(
        help: ArgumentHelp("An attribute of the item, for --from keyring; may be repeated.", valueName: "key=value")
    )
    var attribute: [String] = []

    @Flag(help: "Leave bad entries out instead of refusing the file.")
    var partial = false

    @Flag(help: "Put the file's entries over newer ones, and lift sign-outs.")
    var replace = false

    @Option(help: ArgumentHelp("Refuse a file larger than this, such as 64M or 4G.", valueName: "size"))
    var maxSize = ByteSize.standardImport

    /// The item that `--schema` and `--attribute` describe.
    func item() throws(CommandFailure) -> PeerKeyringItem {
        var item = PeerKeyringItem(schema: schema)
        for text in attribute {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, !parts[0].isEmpty else {
                throw CommandFailure(.usage, "--attribute \(text) is not of the form key=value.")
            }
            item.attributes[parts[0]] = parts[1]
        }
        guard item.schema != nil || !item.attributes.isEmpty else {
            throw CommandFailure(.usage, "Describe the item with --schema, --attribute or both.")
        }
        return item
    }
}
