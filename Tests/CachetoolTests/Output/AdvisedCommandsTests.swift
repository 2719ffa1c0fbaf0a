// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ToolInterface
@testable import cachetool

@Suite("Commands that a text advises")
struct AdvisedCommandsTests {
    /// A text, and the same for group work under a root with a space in its name.
    static let texts = [
        ("Run cachetool repair.", "Run cachetool repair --group work --root '/a b'."),
        (
            "cachetool repair --adopt takes it; cachetool verify tells",
            "cachetool repair --group work --root '/a b' --adopt takes it; cachetool verify --group work --root '/a b' tells"
        ),
        ("See cachetool slots list", "See cachetool slots list --group work --root '/a b'"),
        ("cachetool groups lists them", "cachetool groups --root '/a b' lists them"),
        ("cachetool repair --group work --root '/a b'", "cachetool repair --group work --root '/a b'"),
        ("cachetool is a program, cachetools are others", "cachetool is a program, cachetools are others"),
        ("", ""),
    ]

    @Test("get the options that name the group, once, and nothing else does", arguments: 0..<texts.count)
    func completed(index: Int) {
        let (text, expected) = Self.texts[index]
        #expect(AdvisedCommands(group: "work", root: "/a b", names: Cachetool.commandNames).completed(text) == expected)
    }

    @Test("stay as they are for the standard group under the user's own root", arguments: [nil, "default"])
    func standard(group: String?) {
        #expect(
            AdvisedCommands(group: group, root: nil, names: Cachetool.commandNames).completed("run cachetool repair")
                == "run cachetool repair"
        )
    }
}
