// SPDX-License-Identifier: Apache-2.0

import CacheAdministration
import TokenCaching
import ToolInterface

/// The result of an import, for human readers or as JSON.
struct ImportOutcome {
    let report: ImportReport
    /// The sources of the documents.
    let sources: [String]
    /// Whether the only source was a file that the user named.
    let isOwnFile: Bool

    private var location: String { isOwnFile ? "The file" : sources.joined(separator: "; ") }

    func show(_ session: Session) {
        if session.usesJSON { return write(session) }
        let isEmpty = report.countsByKind.isEmpty
        var rows = report.countsByKind.sorted { $0.key < $1.key }.map { (TableCell($0.key.name), $0.value) }
        if rows.count > 1 { rows.append((TableCell("total", .bold), report.counts)) }
        let columns = ["NEW", "REPLACED", "UNCHANGED", "OLDER", "SIGNED OUT"].map { TableColumn($0, .right) }
        let table = Table([TableColumn("KIND")] + columns, of: rows) { (kind, counts) in [kind] + cells(counts) }
        if !isEmpty { table.write(to: session.console) }
        let sealed = report.counts.new + report.counts.replaced
        if sealed > 0 {
            session.console.remark(
                "\(HumanNumber.count(sealed, one: "entry", many: "entries")) sealed in group \(session.groupName). "
                    + remainder("them")
            )
        } else if !isEmpty {
            session.console.remark("Nothing new for group \(session.groupName). " + remainder("tokens"))
        }
        if report.counts.older > 0 {
            session.console.remark("Older entries were skipped; --replace imports them anyway.")
        }
        if report.healedCount > 0 {
            let entries = HumanNumber.count(
                report.healedCount,
                one: "unreadable entry was",
                many: "unreadable entries were"
            )
            session.console.remark("\(entries) restored from the document.")
        }
        if report.damagedCount > 0 {
            let records = HumanNumber.count(report.damagedCount, one: "damaged record", many: "damaged records")
            session.console.warn("The group has \(records). See cachetool verify; cachetool repair removes them.")
        }
        if report.counts.signedOut > 0 {
            session.console.remark("Entries of signed-out accounts were skipped; --replace undoes the sign-out.")
        }
    }

    /// The failure of an import of documents without entries; nil if there are any, or if some could not be read.
    var failure: CommandFailure? {
        guard report.entryCount == 0, report.badCount == 0 else { return nil }
        return CommandFailure(report.hasSections || report.counts.total > 0 ? .partial : .notFound, emptiness)
    }

    private var emptiness: String {
        let name = sources.joined(separator: "; ")
        if report.counts.total == 0 {
            return report.hasSections
                ? "\(name) contains no entries." : "\(name) is no token cache: it has no sections."
        }
        return "Nothing in \(name) is an entry of a token cache. The content is kept and exported again, but no lookup "
            + "uses it."
    }

    private func cells(_ counts: ImportCounts) -> [TableCell] {
        [counts.new, counts.replaced, counts.unchanged, counts.older, counts.signedOut].map { count in
            TableCell(count == 0 ? "-" : HumanNumber.count(count), count == 0 ? .dim : .plain)
        }
    }

    private func write(_ session: Session) {
        session.writeDocument { json in
            if !isOwnFile { json.member("sources", sources) }
            json.member("entries", report.entryCount)
            if let failure { json.member("warning", failure.message) }
            json.member("changed", report.hasChanges)
            json.member("bytes", Int64(report.byteCount))
            json.member("bad", report.badCount)
            json.member("damaged", report.damagedCount)
            json.member("healed", report.healedCount)
            json.array("kinds") {
                for (kind, counts) in report.countsByKind.sorted(by: { $0.key < $1.key }) {
                    json.objectElement {
                        json.member("kind", kind.name)
                        json.member("new", counts.new)
                        json.member("replaced", counts.replaced)
                        json.member("unchanged", counts.unchanged)
                        json.member("older", counts.older)
                        json.member("signed_out", counts.signedOut)
                    }
                }
            }
        }
    }

    /// What the user may want to delete after the import.
    private func remainder(_ what: String) -> String {
        isOwnFile ? "The file still contains \(what) in plain text." : "They were read from: \(location)."
    }
}
