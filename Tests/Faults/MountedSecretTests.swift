// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import Testing

/// Secrets laid out as systemd, Kubernetes and Docker mount them, in a mount namespace, for a process of user 1000.
@Suite("Mounted secrets", .enabled(if: Root.isHere, "needs root to mount"), .timeLimit(.minutes(10)))
struct MountedSecretTests {
    /// A layout, the options that name the secret in it, and what cachetool answers.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// A script in which `$D` is the folder of a new tmpfs that root owns, mode 0755; `user_may PERMISSIONS FILE` grants
        /// user 1000 access by an access control list.
        let layout: String
        let options: String
        /// A part of the error; nil if the group is created and opened.
        let refusal: String?

        init(_ name: String, _ layout: String, _ options: String, refusal: String? = nil) {
            (testDescription, self.layout, self.options, self.refusal) = (name, layout, options, refusal)
        }
    }

    static let kubernetes = """
        install -d -m 02750 -g 2000 $D/..2026; key $D/..2026/key; chgrp 2000 $D/..2026/key $D; chmod 0440 $D/..2026/key
        ln -s ..2026 $D/..data; ln -s ..data/key $D/key; chmod 03777 $D; mount -o remount,ro $D
        """
    static let mounted = "--key-file-mounted $D/key"

    static let rows = [
        Row(
            "a credential of systemd 254 or newer: of root, and readable by an access control list",
            "key $D/key; chmod 0400 $D/key; user_may 4 $D/key; chmod 0700 $D; user_may 5 $D; mount -o remount,ro $D",
            "--key-credential key"
        ),
        Row(
            "a credential of an older systemd: of the user",
            "key $D/key; chmod 0400 $D/key; chmod 0500 $D; chown 1000 $D $D/key",
            "--key-credential key"
        ),
        Row("a volume of Kubernetes with a group, through two links", kubernetes, mounted),
        Row("a secret of Docker: of root, readable by everybody", "key $D/key; chmod 0444 $D/key", mounted),
        Row(
            "a credential that every user can read",
            "key $D/key; chmod 0444 $D/key",
            "--key-credential key",
            refusal: "every user can read it"
        ),
        Row(
            "a secret that its group can write",
            "key $D/key; chmod 0464 $D/key",
            mounted,
            refusal: "other users can write to it"
        ),
        Row(
            "a secret of a third user",
            "key $D/key; chmod 0444 $D/key; chown 1001 $D/key",
            mounted,
            refusal: "it belongs to user 1001"
        ),
        Row(
            "a secret that this user may not read",
            "key $D/key; chmod 0400 $D/key",
            mounted,
            refusal: "user 1000 may not read it"
        ),
        Row(
            "a folder that everybody can write, if not by this mount",
            "key $D/key; chmod 0444 $D/key; chmod 0777 $D; mount -o remount,ro $D",
            mounted,
            refusal: "other users can write in this folder"
        ),
        Row(
            "a file on a disk",
            "key $HOME/key; chmod 0400 $HOME/key; chown 1000 $HOME/key; ln -s $HOME/key $D/key",
            "--key-file-mounted $HOME/key",
            refusal: "it is on a disk"
        ),
        Row(
            "a link to another file system",
            "key /dev/shm/$$.key; chmod 0444 /dev/shm/$$.key; ln -s /dev/shm/$$.key $D/key; trap 'rm /dev/shm/$$.key' EXIT",
            mounted,
            refusal: "leads here from another file system"
        ),
        Row(
            "a link of a third user, in a folder where everybody may add files",
            "key $D/other; chmod 0444 $D/other; ln -s other $D/key; chown -h 1001 $D/key; chmod 1777 $D",
            mounted,
            refusal: "its symbolic links are of another user"
        ),
        Row("a link to itself", "ln -s key $D/key", mounted, refusal: "symbolic links"),
        Row("a FIFO", "mkfifo -m 0444 $D/key", mounted, refusal: "a FIFO exists where a regular file is expected"),
        Row("31 bytes", "head -c 31 /dev/zero >$D/key; chmod 0444 $D/key", mounted, refusal: "it has 31 bytes"),
        Row("a path for a name", "key $D/key", "--key-credential ../key", refusal: "without a path"),
        Row("a missing credential", "true", "--key-credential key", refusal: "there is no such"),
        Row(
            "no credentials",
            "unset CREDENTIALS_DIRECTORY",
            "--key-credential key",
            refusal: "CREDENTIALS_DIRECTORY is not set to an absolute path"
        ),
    ]

    @Test(
        "a mounted secret opens a group where only root can have changed it, and is refused with a reason elsewhere",
        arguments: rows
    )
    func layouts(_ row: Row) throws {
        let scratch = try ScratchRoot()
        let outcome = try Program(path: "/usr/bin/unshare").run([
            "--mount", "/bin/bash", "-euc",
            """
            mount -t tmpfs -o mode=0755 tmpfs "$1"
            mkdir -m 0755 "$1/secrets"; mount -t tmpfs -o mode=0755 tmpfs "$1/secrets"
            cp "$2" "$1/cachetool"; cp "$3" "$1/cache.json"; chmod 0444 "$1/cache.json"
            export D=$1/secrets HOME=$1/disk CREDENTIALS_DIRECTORY=$1/secrets
            mkdir "$HOME" "$1/groups"; truncate -s 32M "$1/image"; mkfs.ext4 -q "$1/image"; mount -o loop "$1/image" "$HOME"
            chown 1000 "$HOME" "$1/groups"; chmod 0700 "$HOME" "$1/groups"
            key() { head -c 32 /dev/urandom >"$1"; }
            user_may() { python3 -c '
            import os, struct, sys
            may, path = int(sys.argv[1]), sys.argv[2]
            rows = [(1, os.stat(path).st_mode >> 6 & 7, -1), (2, may, 1000), (4, 0, -1), (16, may, -1), (32, 0, -1)]
            os.setxattr(path, "system.posix_acl_access", struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *row) for row in rows))
            ' "$@"; }
            \(row.layout)
            on() { setpriv --reuid 1000 --regid 1000 --groups 2000 -- "$tool" "$@" --root "$groups" --group test; }
            tool=$1/cachetool groups=$1/groups cache=$1/cache.json
            on import --storage file \(row.options) "$cache" >/dev/null
            on accounts \(row.options) >/dev/null
            # Nothing else opens it: there is no other key.
            if on accounts >/dev/null 2>&1; then exit 1; fi
            echo opened
            """,
            "bash", scratch.path, Program.cachetool.path, ScratchGroup.sample,
        ])
        guard let refusal = row.refusal else {
            #expect(outcome.text == "opened", "\(outcome.messages)")
            return
        }
        #expect(outcome.text == "")
        #expect(outcome.messages.contains(refusal), "\(outcome.messages)")
    }

    @Test("a mounted secret is replaced by way of a second key slot, and the old one then opens nothing")
    func rotation() throws {
        let scratch = try ScratchRoot()
        let outcome = try Program(path: "/usr/bin/unshare").run([
            "--mount", "/bin/bash", "-euc",
            """
            mount -t tmpfs -o mode=0700 tmpfs "$1"
            for name in old new; do head -c 32 /dev/urandom >"$1/$name"; chmod 0444 "$1/$name"; done
            sha256sum "$1/old" "$1/new" >"$1/sums"
            mkdir -m 0700 "$1/groups"; export HOME=$1 root=$1 tool=$2
            on() { "$tool" "$@" --root "$root/groups" --group test; }
            on import --storage file --key-file-mounted "$1/old" "$3" >/dev/null
            if on slots add --key-file-mounted "$1/old" --new-key-file-mounted "$1/none" 2>"$1/said"; then exit 1; fi
            grep -q "the new slot needs this file" "$1/said"
            on slots add --key-file-mounted "$1/old" --new-key-file-mounted "$1/new" >/dev/null
            for name in old new; do on accounts --key-file-mounted "$1/$name" >/dev/null; done
            on rekey --key-file-mounted "$1/new" --yes >/dev/null
            on accounts --key-file-mounted "$1/new" >/dev/null
            sha256sum --quiet --check "$1/sums"
            if on accounts --key-file-mounted "$1/old" >/dev/null 2>&1; then exit 1; fi
            echo replaced
            """,
            "bash", scratch.path, Program.cachetool.path, ScratchGroup.sample,
        ])
        #expect(outcome.text == "replaced", "\(outcome.messages)")
    }
}
