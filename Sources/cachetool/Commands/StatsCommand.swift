// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CacheAdministration
import TokenCaching
import ToolInterface

/// `cachetool stats`
struct StatsCommand: GroupCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Count the accounts and entries of a group, and show the size of its file.",
        discussion: """
            EXAMPLES:
              cachetool stats --group work
            """
    )

    @OptionGroup(title: "Group options") var group: GroupOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func perform(in session: Session) throws {
        let cache = try session.open(.readOnly)
        defer { cache.close() }
        let statistics = try cache.statistics()
        if session.usesJSON {
            write(statistics, cache: cache, session: session)
        } else {
            show(statistics, cache: cache, session: session)
        }
    }

    private func show(_ statistics: GroupStatistics, cache: CacheGroup, session: Session) {
        var fields = FieldList()
        fields.add("group", session.groupName)
        fields.add("storage", cache.location.kind.rawValue)
        if let collection = cache.location.collection { fields.add("collection", collection) }
        fields.add("because", cache.location.reason)
        fields.add("accounts", HumanNumber.count(statistics.accountCount))
        fields.add("entries", HumanNumber.count(statistics.entryCount))
        for (kind, count) in statistics.entryCounts.sorted(by: { $0.key < $1.key }) {
            fields.add("  " + kind.name, HumanNumber.count(count))
        }
        if let file = statistics.file { add(file, to: &fields) }
        if let leases = statistics.heldLeaseCount { fields.add("renewals in progress", HumanNumber.count(leases)) }
        if statistics.quarantinedFileCount > 0 {
            fields.add(
                "set aside",
                "\(HumanNumber.bytes(Int(clamping: statistics.quarantinedByteCount))) in "
                    + HumanNumber.count(statistics.quarantinedFileCount, one: "file", many: "files"),
                style: .warning
            )
        }
        fields.add(
            "memory",
            statistics.isMemoryLocked ? "locked" : "not locked: secrets may reach swap",
            style: statistics.isMemoryLocked ? .plain : .warning
        )
        fields.write(to: session.console)
    }

    private func add(_ file: GroupStatistics.FileFigures, to fields: inout FieldList) {
        let dead = Int(clamping: file.deadByteCount)
        fields.add("file", file.path)
        fields.add("size", HumanNumber.bytes(Int(clamping: file.byteCount)))
        fields.add("on disk", HumanNumber.bytes(Int(clamping: file.allocatedByteCount)))
        fields.add("no longer used", HumanNumber.bytes(dead))
        fields.add("changes since compaction", HumanNumber.count(file.transactionCount))
        fields.add("last change", "number " + HumanNumber.count(Int(clamping: file.sequence)))
        fields.add("root key", "number " + HumanNumber.count(Int(file.epoch)))
        fields.add("key slots", HumanNumber.count(file.keySlotCount))
    }

    private func write(_ statistics: GroupStatistics, cache: CacheGroup, session: Session) {
        session.writeDocument { json in
            json.member("storage", cache.location.kind.rawValue)
            json.member("collection", cache.location.collection)
            json.member("storage_reason", cache.location.reason)
            json.member("accounts", statistics.accountCount)
            json.member("entries", statistics.entryCount)
            json.kinds(statistics.entryCounts)
            if let file = statistics.file { write(file, json) } else { json.null("file") }
            json.member("held_leases", statistics.heldLeaseCount.map { Int64($0) })
            json.member("set_aside_files", statistics.quarantinedFileCount)
            json.member("set_aside_bytes", Int64(clamping: statistics.quarantinedByteCount))
            json.member("memory_locked", statistics.isMemoryLocked)
        }
    }

    private func write(_ file: GroupStatistics.FileFigures, _ json: JSONWriter) {
        json.object("file") {
            json.member("path", file.path)
            json.member("bytes", Int64(clamping: file.byteCount))
            json.member("allocated_bytes", Int64(clamping: file.allocatedByteCount))
            json.member("dead_bytes", Int64(clamping: file.deadByteCount))
            json.member("changes", file.transactionCount)
            json.member("sequence", Int64(clamping: file.sequence))
            json.member("epoch", Int(file.epoch))
            json.member("key_slots", file.keySlotCount)
        }
    }
}
