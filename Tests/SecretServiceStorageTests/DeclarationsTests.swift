// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import Testing

/// No header of GLib or libsecret is needed to build. That what we declare in their place is right is shown here.
@Suite("Declarations of GLib and libsecret", .timeLimit(.minutes(Scale.pick(10, release: 240))))
struct DeclarationsTests {
    private static let project = (0..<3).reduce(URL(filePath: #filePath)) { path, _ in path.deletingLastPathComponent()
    }
    private static let header = project.appending(path: "Sources/CSecretService/Declarations.h")
    private static let check = project.appending(
        path: "Tests/SecretServiceStorageTests/Declarations/declarations.c"
    )

    /// What the compiler says of these declarations beside the real headers.
    private func compile(_ declarations: String) throws -> FinishedProgram {
        let folder = try ScratchRoot()
        try declarations.write(toFile: folder.path + "/Declarations.h", atomically: true, encoding: .utf8)
        let flags = try Program(path: "/usr/bin/env").run(["pkg-config", "--cflags", "libsecret-1"])
        try #require(flags.exitCode == 0, "libsecret-1-dev is not installed: \(flags.messages)")
        let arguments = ["clang", "-std=c11", "-fsyntax-only", "-I", folder.path]
        return try Program(path: "/usr/bin/env")
            .run(arguments + flags.text.split(separator: " ").map(String.init) + [Self.check.path()])
    }

    @Test("are those of the real headers")
    func agree() throws {
        let result = try compile(String(contentsOf: Self.header, encoding: .utf8))
        #expect(result.exitCode == 0, "\(result.messages)")
    }

    @Test(
        "that differ are seen",
        arguments: [
            ("X(gsize, g_variant_n_children, (GVariant *))", "X(guint, g_variant_n_children, (GVariant *))"),
            ("(SecretValue *, gsize *)", "(SecretValue *, guint *)"),
            ("(GType, const gchar *, guint, GClassInitFunc", "(GType, gchar *, guint, GClassInitFunc"),
            ("(gpointer, const gchar *, ...)", "(gpointer, const gchar *)"),
            ("X(G_IO_ERROR_TIMED_OUT, 24)", "X(G_IO_ERROR_TIMED_OUT, 23)"),
            ("typedef gsize GType;", "typedef guint GType;"),
            ("    void *properties;\n", ""),
            ("    guint class_size;\n    guint instance_size;", "    guint instance_size;\n    guint class_size;"),
        ]
    )
    func differ(text: String, other: String) throws {
        let declarations = try String(contentsOf: Self.header, encoding: .utf8)
        let changed = declarations.replacingOccurrences(of: text, with: other)
        #expect(changed != declarations)
        let result = try compile(changed)
        #expect(result.exitCode == 1)
        #expect(result.messages.contains("error:"))
    }
}
