// SPDX-License-Identifier: Apache-2.0

import CacheAdministration
import Testing

@testable import cachetool

@Suite("Wrapped text")
struct WrappedTextTests {
    private static let text =
        "The folder can be read by others. To make it yours alone, run cachetool doctor --group work, then go on."

    @Test("lines fit the width, nothing is lost, and only whole words move", arguments: [40, 60, 80, 120])
    func fits(width: Int) {
        let lines = WrappedText.text(Self.text, width: width, indent: 4).split(separator: "\n").map(String.init)
        #expect(lines.dropFirst().allSatisfy { $0.hasPrefix("    ") && $0.count <= width })
        #expect(lines[0].count <= width - 4)
        let words = lines.map { $0.trimmingPrefix { $0 == " " } }.joined(separator: " ")
        #expect(words == Self.text)
    }

    @Test("a command is never broken, so that it can be copied", arguments: 30...110)
    func command(width: Int) {
        let text = WrappedText.text(Self.text, width: width, indent: 0)
        #expect(text.contains("cachetool doctor --group work,"))
    }

    @Test("without a width, or on a terminal too narrow for an indent, there is one line")
    func unlimited() {
        #expect(WrappedText.text(Self.text, width: nil, indent: 19) == Self.text)
        #expect(WrappedText.text(Self.text, width: 34, indent: 19) == Self.text)
    }

    @Test("wide characters take two columns")
    func wide() {
        #expect(WrappedText.text("王小明王小明 王小明王小明", width: 24, indent: 0) == "王小明王小明\n王小明王小明")
    }

    @Test("findings of doctor equal their snapshot", arguments: [80, 200])
    func findings(width: Int) throws {
        let findings = [
            ExaminationFinding(.folder, level: .fine, text: "the folder is of this user alone"),
            ExaminationFinding(
                .roundTrip,
                level: .problem,
                text:
                    "The disk of /home/adele/.local/share/swift-token-cache/work has 0 B left of the 1.0 MiB that a save may need.",
                advice:
                    "Free some space there, or move the group with cachetool migrate --to keyring --group work; nothing is lost."
            ),
            ExaminationFinding(
                .accounts,
                level: .note,
                text: "one account cannot get a token",
                advice: "Sign in again."
            ),
        ]
        let lines = findings.flatMap { DoctorCommand.lines(of: $0, width: width, isColoured: false) }
        try Snapshot.check(lines.joined(separator: "\n") + "\n", "output/doctor-\(width).txt")
    }
}
