// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CacheAdministration
import ToolInterface

/// Describes an item of the keyring.
struct KeyringItemOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The schema of the item, for --from keyring.", valueName: "name"))
    var schema: String?

    @Option(
        help: ArgumentHelp("An attribute of the item, for --from keyring; may be repeated.", valueName: "key=value")
    )
    var attribute: [String] = []

    var isGiven: Bool { schema != nil || !attribute.isEmpty }

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
