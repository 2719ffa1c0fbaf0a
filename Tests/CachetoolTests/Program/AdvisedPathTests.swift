// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import Testing

extension ProgramTests {
    @Suite("Paths in advice")
    struct AdvisedPathTests {
        @Test(
            "advice to change a mode can be pasted into a shell, whatever the path contains",
            arguments: [("test/journal", "accounts", "644"), ("test", "accounts", "755"), ("", "accounts", "777")]
        )
        func pasted(path: String, command: String, mode: String) throws {
            let tool = try Tool()
            let script = #"""
                root="$HOME/it's a \"dir\" \$x"
                mkdir -m 700 "$root"
                printf '%s' "$document" | "$tool" import - --root "$root" --group test 2> /dev/null || exit 90
                chmod "$mode" "$root/$path"
                "$tool" $command --root "$root" --group test 2> "$HOME/messages" && exit 91
                sed -n 's/.*\(chmod .*\)\.$/\1/p' "$HOME/messages" > "$HOME/advice"
                cat "$HOME/messages" >&2
                [ -s "$HOME/advice" ] && sh "$HOME/advice" && exec "$tool" $command --root "$root" --group test
                """#
            let document = String(decoding: try SampleCache().document, as: UTF8.self)
            let done = try tool.shell(
                script,
                environment: ["document": document, "path": path, "command": command, "mode": mode]
            )
            #expect(done.exitCode == 0, "\(done.messages)")
            #expect(done.text.contains(SampleCache.adele))
        }

        @Test("doctor finds a quarantine that other users can read, and its advice helps")
        func quarantine() throws {
            let tool = try Tool.withSample()
            let script = #"""
                mkdir -m 755 "$HOME/test/quarantine"
                "$tool" doctor "$@" > "$HOME/findings"; echo $?
                eval "$(grep -o 'chmod 700 [^ ]*quarantine' "$HOME/findings")"
                "$tool" doctor "$@" > /dev/null; echo $?
                """#
            let done = try tool.shell(script, environment: ["COLUMNS": "500"])
            #expect(done.lines == ["1", "0"], "\(done.messages)")
        }

        @Test(
            "a group whose page is no regular file can be removed",
            arguments: ["mkfifo revision", "ln -s /etc/hostname revision", "ln -s nothing revision", "mkdir revision"]
        )
        func revision(making: String) throws {
            let tool = try Tool.withSample()
            let script =
                #"cd "$HOME/test" && rm revision && $making && exec "$tool" groups remove test --yes --root "$HOME""#
            let done = try tool.shell(script, environment: ["making": making])
            // A folder is none of the group's files, and has to be moved away.
            #expect(done.exitCode == (making.hasPrefix("mkdir") ? 9 : 0), "\(done.messages)")
            let left = try FileManager.default.contentsOfDirectory(atPath: tool.root.path).filter { $0 != ".keys" }
            #expect(left == (making.hasPrefix("mkdir") ? ["test"] : []))
        }
    }
}
