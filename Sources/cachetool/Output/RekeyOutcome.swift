// SPDX-License-Identifier: Apache-2.0

import CacheAdministration
import TokenCaching
import ToolInterface

/// Changes the keys of a group: asks before dropping a slot, and reports the result. Used by `rekey` and
/// `slots remove`.
struct RekeyOutcome {
    let session: Session
    /// Whether `--yes` was given.
    let isAnswered: Bool

    /// Asks whether slots without a given secret may be dropped.
    ///
    /// - Parameters:
    ///   - slots: the slots of the group.
    ///   - removed: the id of the slot to remove.
    /// - Returns: the options for the change.
    /// - Throws: ``CommandFailure`` if the answer is no.
    func options(_ slots: [SlotSummary], removing removed: String? = nil) throws(CommandFailure) -> RekeyOptions {
        let lost = slots.filter { $0.id != removed && !session.canKeep($0) }
        guard !lost.isEmpty else { return RekeyOptions() }
        let names = lost.map(SlotList.name).joined(separator: ", ")
        let (they, them) = lost.count == 1 ? ("it", "it") : ("they", "them")
        try session.prompt.confirm(
            "No key was given for \(names), so \(they) would be dropped. To keep \(them), add "
                + "\(Self.options(for: lost)). Drop \(them)?",
            isAnswered: isAnswered
        )
        return RekeyOptions(dropsOtherSlots: true)
    }

    /// The options that provide the secrets of slots.
    private static func options(for slots: [SlotSummary]) -> String {
        let options = Set(slots.compactMap(\.kind.openingOption)).sorted()
        return options.isEmpty ? "its key" : options.joined(separator: " and ")
    }

    /// Runs `change` and shows its progress. Ctrl-C cancels it as long as nothing has been changed.
    func sealing(
        _ change: (@escaping ProgressHandler) throws(TokenCacheError) -> RekeyReport
    ) throws(TokenCacheError) -> RekeyReport {
        let progress = ProgressLine("Resealing", on: session.console)
        defer { progress.finish() }
        return try change(progress.handler)
    }

    /// Reports what was done.
    func show(_ report: RekeyReport, of group: CacheGroup) {
        if session.usesJSON {
            session.writeDocument { json in
                json.member("epoch", Int(report.epoch))
                SlotList(slots: report.slots).write("slots", json)
                SlotList(slots: report.droppedSlots).write("dropped", json)
                json.member("kept_key_files", report.keptKeyFiles)
            }
            return
        }
        if report.slots.isEmpty {
            session.console.remark("All records were resealed. The \(group.location.kind.rawValue) opens the group.")
            return
        }
        session.console.remark("All records were resealed. The group is opened by:")
        SlotList(slots: report.slots).table.write(to: session.console)
        for slot in report.droppedSlots {
            session.console.remark("Dropped: \(SlotList.name(slot)).")
        }
        Self.remark(keptKeyFiles: report.keptKeyFiles, session)
    }

    /// Names the key files that a change of keys left, and the way to have it remove them.
    static func remark(keptKeyFiles paths: [String], _ session: Session) {
        if paths.isEmpty { return }
        session.console.remark(
            "This folder is a copy, or came back from a backup, and the original may need the old key files, so they were "
                + "kept. If no other folder has the group, delete them; cachetool repair --adopt makes this a group of its own, "
                + "so that later changes remove theirs:"
        )
        for path in paths { session.console.remark("  \(path)") }
    }
}
