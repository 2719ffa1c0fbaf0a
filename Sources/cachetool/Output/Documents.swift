// SPDX-License-Identifier: Apache-2.0

import TokenCaching
import ToolInterface

extension Session {
    /// Writes the command's JSON document, which begins with the name of the group.
    func writeDocument(_ body: (JSONWriter) -> Void) {
        let json = JSONWriter(console.output)
        json.document {
            json.member("group", groupName)
            body(json)
        }
    }
}

extension JSONWriter {
    /// The member `kinds`: the number of entries of each kind.
    func kinds(_ counts: [CachedEntryKind: Int]) {
        array("kinds") {
            for (kind, count) in counts.sorted(by: { $0.key < $1.key }) {
                objectElement {
                    member("kind", kind.name)
                    member("entries", count)
                }
            }
        }
    }
}
