// SPDX-License-Identifier: Apache-2.0

import CacheAdministration
import TokenCaching
import ToolInterface

/// The findings of a check, for human readers and for programs.
struct FindingList {
    let findings: [VerificationReport.Finding]

    /// Prints one line for each finding.
    func write(to console: Console) {
        for finding in findings {
            let label = (finding.isDamage ? Style.bad : .warning)
                .applied(to: finding.isDamage ? "damage" : "note", isOn: console.isColoured)
            let entry = finding.entryHandle.map { " (entry \($0.short))" } ?? ""
            console.write(line: label + ": " + VisibleText.escaped(finding.description + entry))
        }
    }

    /// Writes a member of a JSON document.
    func write(_ json: JSONWriter) {
        json.array("findings") {
            for finding in findings {
                json.objectElement {
                    json.member("damage", finding.isDamage)
                    json.member("description", finding.description)
                    json.member("id", finding.entryHandle?.description)
                    json.member("account_handle", finding.accountHandle?.description)
                }
            }
        }
    }
}
