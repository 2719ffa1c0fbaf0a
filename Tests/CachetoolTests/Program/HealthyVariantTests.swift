// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import Testing

/// A way to make a sound group, and to ask doctor about it.
struct HealthyVariant: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var usesKeyring = false
    /// Lines of shell; `$sample` is a document to import.
    let making: String
    var asking = "cachetool doctor"

    private static let root = "\"$HOME/.local/share/swift-token-cache"

    static let all = [
        HealthyVariant(testDescription: "only HOME is set", making: "cachetool import $sample"),
        HealthyVariant(
            testDescription: "the XDG variables are set",
            making: "export XDG_DATA_HOME=$HOME/d XDG_STATE_HOME=$HOME/s; cachetool import $sample",
            asking: "XDG_DATA_HOME=$HOME/d XDG_STATE_HOME=$HOME/s cachetool doctor"
        ),
        HealthyVariant(
            testDescription: "the user's own root is named",
            making: "cachetool import $sample",
            asking: "cachetool doctor --root \(root)\""
        ),
        HealthyVariant(
            testDescription: "the user's own root is spelled with a slash",
            making: "cachetool import $sample",
            asking: "cachetool doctor --root \(root)/\""
        ),
        HealthyVariant(
            testDescription: "the user's own root is spelled with dots",
            making: "cachetool import $sample",
            asking: "cachetool doctor --root \(root)/../swift-token-cache\""
        ),
        HealthyVariant(
            testDescription: "the user's own root is relative to the current folder",
            making: "cachetool import $sample",
            asking: "cd; cachetool doctor --root .local/share/swift-token-cache"
        ),
        HealthyVariant(
            testDescription: "another root",
            making: "mkdir -m 700 $HOME/r; cachetool import $sample --root $HOME/r",
            asking: "cachetool doctor --root $HOME/r"
        ),
        HealthyVariant(
            testDescription: "a key file of the user's",
            making:
                "head -c 32 /dev/urandom >$HOME/key; chmod 600 $HOME/key; cachetool import $sample --key-file $HOME/key",
            asking: "cachetool doctor --key-file $HOME/key"
        ),
        HealthyVariant(
            testDescription: "a passphrase",
            making: "echo secret >$HOME/pw; cachetool import $sample --passphrase-fd 3 3<$HOME/pw",
            asking: "cachetool doctor --passphrase-fd 3 3<$HOME/pw"
        ),
        HealthyVariant(
            testDescription: "a second key slot",
            making: "cachetool import $sample; echo secret >$HOME/pw; "
                + "cachetool slots add --new-passphrase-fd 3 3<$HOME/pw"
        ),
        HealthyVariant(
            testDescription: "after a change of keys",
            making: "cachetool import $sample; cachetool rekey --yes"
        ),
        HealthyVariant(
            testDescription: "after a compaction",
            making: "cachetool import $sample; cachetool compact"
        ),
        HealthyVariant(
            testDescription: "after a second import",
            making: "cachetool import $sample; cachetool import $sample --replace"
        ),
        HealthyVariant(
            testDescription: "after a sign-out",
            making: "cachetool import $sample; "
                + "cachetool sign-out \(SampleCache.adele) --client \(SampleCache.client) --yes"
        ),
        HealthyVariant(
            testDescription: "after everything was cleared",
            making: "cachetool import $sample; cachetool clear --all --yes"
        ),
        HealthyVariant(
            testDescription: "after a repair that had nothing to do",
            making: "cachetool import $sample; cachetool repair --yes"
        ),
        HealthyVariant(
            testDescription: "beside another group",
            making: "cachetool import $sample; cachetool import $sample --group other",
            asking: "cachetool doctor --group other"
        ),
        HealthyVariant(
            testDescription: "with everything checked",
            making: "cachetool import $sample",
            asking: "cachetool doctor --full --probe-write --accounts --json"
        ),
        HealthyVariant(testDescription: "a keyring", usesKeyring: true, making: "cachetool import $sample"),
        HealthyVariant(
            testDescription: "a keyring, with everything checked",
            usesKeyring: true,
            making: "cachetool import $sample",
            asking: "cachetool doctor --full --probe-write --accounts"
        ),
        HealthyVariant(
            testDescription: "a keyring with another root",
            usesKeyring: true,
            making: "mkdir -m 700 $HOME/r; cachetool import $sample --root $HOME/r",
            asking: "cachetool doctor --root $HOME/r"
        ),
        HealthyVariant(
            testDescription: "a file in a session with a keyring",
            usesKeyring: true,
            making: "cachetool import $sample --storage file"
        ),
        HealthyVariant(
            testDescription: "a file with its key in the keyring",
            usesKeyring: true,
            making: "cachetool import $sample --storage file; cachetool slots add --new-keyring"
        ),
        HealthyVariant(
            testDescription: "moved to the file",
            usesKeyring: true,
            making: "cachetool import $sample; cachetool migrate --to file"
        ),
        HealthyVariant(
            testDescription: "moved to the keyring",
            usesKeyring: true,
            making: "cachetool import $sample --storage file; cachetool migrate --to keyring"
        ),
        HealthyVariant(
            testDescription: "moved there and back",
            usesKeyring: true,
            making: "cachetool import $sample; cachetool migrate --to file; cachetool migrate --to keyring; "
                + "cachetool migrate --to file"
        ),
        HealthyVariant(
            testDescription: "new keys in the keyring",
            usesKeyring: true,
            making: "cachetool import $sample; cachetool rekey --yes"
        ),
    ]
}

extension ProgramTests {
    @Suite("Healthy variants", .timeLimit(.minutes(10)))
    struct HealthyVariantTests {
        @Test("of a group have nothing wrong", arguments: HealthyVariant.all)
        func healthy(variant: HealthyVariant) throws {
            let group = try DoctoredGroup(keyring: variant.usesKeyring ? PrivateKeyring() : nil)
            let sample = group.home.path + "/sample.json"
            try SampleCache().document.write(to: URL(filePath: sample))
            group.environment["sample"] = sample
            let made = try group.shell("set -e; " + variant.making)
            #expect(made.exitCode == 0, "\(made.messages)")
            let done = try group.shell(variant.asking)
            #expect(done.exitCode == 0, "\(done.text)\(done.messages)")
            #expect(!done.text.contains("WRONG"), "\(done.text)")
        }
    }
}
