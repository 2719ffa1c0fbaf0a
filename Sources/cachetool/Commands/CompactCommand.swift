// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CacheAdministration
import TokenCaching
import ToolInterface

/// `cachetool compact`
struct CompactCommand: GroupCommand {
    static let configuration = CommandConfiguration(
        commandName: "compact",
        abstract: "Rewrite a group's file without the data that was replaced or removed.",
        discussion: """
            The library compacts automatically when that is worthwhile; this command does it now. Other processes can \
            read and write meanwhile. Sealed copies of tokens that are removed later may then remain in unused blocks \
            of the disk, until cachetool rekey changes the key that opens them.

            EXAMPLES:
              cachetool compact --group work
            """
    )

    @OptionGroup(title: "Group options") var group: GroupOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func perform(in session: Session) throws {
        let cache = try session.open(.readWrite)
        defer { cache.close() }
        let before = try byteCount(cache)
        try ElapsedTimeLine.show("Compacting", on: session.console) { () throws(TokenCacheError) in try cache.compact()
        }
        let after = try byteCount(cache)
        if session.usesJSON {
            session.writeDocument { json in
                json.member("bytes_before", before)
                json.member("bytes_after", after)
            }
        } else {
            session.console.remark(
                "\(HumanNumber.bytes(before)) before, \(HumanNumber.bytes(after)) now."
            )
        }
    }

    private func byteCount(_ cache: CacheGroup) throws -> Int {
        Int(clamping: try cache.statistics().file?.byteCount ?? 0)
    }
}
