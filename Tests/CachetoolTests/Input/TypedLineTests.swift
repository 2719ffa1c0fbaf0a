// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ToolInterface

@Suite("A command line that is being completed")
struct TypedLineTests {
    @Test(
        "gives the value of an option as the shell would pass it on",
        arguments: [
            (["--root", "/a"], "/a"),
            (["--root=/a"], "/a"),
            // As bash divides it.
            (["--root", "=", "/a"], "/a"),
            (["--root", "~/a"], "/home/me/a"),
            (["--root", "~"], "/home/me"),
            (["--root", "'/a b'"], "/a b"),
            (["--root", "\"/a b\""], "/a b"),
            (["--root", "/a\\ b\\'c"], "/a b'c"),
            (["--root"], nil),
            (["--group", "root"], nil),
        ] as [([String], String?)]
    )
    func value(words: [String], expected: String?) {
        let line = TypedLine(words: ["cachetool", "list"] + words, home: "/home/me")
        #expect(line.value(of: "--root") == expected)
    }
}
