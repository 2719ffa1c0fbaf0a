// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CacheAdministration
import TokenCaching
import ToolInterface

/// `cachetool watch`
struct WatchCommand: GroupCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Show what changes in a group, as it happens, until you press Ctrl-C.",
        discussion: """
            One line for each entry that any program adds, replaces or removes. No token is opened. With --json each \
            line is an object of its own; its member "change" is added, replaced or removed. Changes that follow each \
            other quickly may be shown as one.

            EXAMPLES:
              cachetool watch --group work
              cachetool watch --json | jq -r 'select(.change == "removed").username'
            """
    )

    @OptionGroup(title: "Group options") var group: GroupOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func perform(in session: Session) throws {
        let cache = try session.open(.readWrite)
        defer { cache.close() }
        let watch = try cache.watch()
        Interruption.begin { watch.stop() }
        let descriptor = session.console.output.descriptor
        BackgroundThread.start {
            Syscalls.waitUntilUnread(descriptor)
            watch.stop()
        }
        if watch.isPolling {
            session.console.warn(
                "change notifications are not available, so the group is checked for changes every 250 ms."
            )
        }
        session.console.remark("Watching group \(session.groupName). Press Ctrl-C to end.")
        while !session.console.output.isClosed, let changes = try watch.next() {
            for change in changes {
                if session.usesJSON { ChangeRow.write(change, session.console) } else { show(change, session.console) }
            }
            session.console.flush()
        }
    }

    private func show(_ change: CacheChange, _ console: Console) {
        console.write(line: ChangeRow.line(change, now: Syscalls.secondsSince1970()), ChangeRow.style(change))
    }
}
