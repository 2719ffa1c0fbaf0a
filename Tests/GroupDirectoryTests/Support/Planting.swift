// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The calls that plant things in the way of the code under test.
enum Plant {
    static let nobody: UInt32 = 65534

    static func file(_ path: String, mode: Int = 0o600) {
        #expect(FileManager.default.createFile(atPath: path, contents: Data("x".utf8)))
        Plant.mode(path, mode)
    }

    static func mode(_ path: String, _ mode: Int) {
        let result = unsafe chmod(path, mode_t(mode))
        #expect(result == 0)
    }

    /// Gives it, or the link itself, to another user.
    static func otherOwner(_ path: String) {
        let result = unsafe lchown(path, nobody, nobody)
        #expect(result == 0)
    }

    static func fifo(_ path: String) {
        let result = unsafe mkfifo(path, 0o600)
        #expect(result == 0)
    }

    static func node(_ path: String, _ type: mode_t, device: dev_t = 0) {
        let result = unsafe mknod(path, type | 0o600, device)
        #expect(result == 0)
    }

    /// Gives up all rights of this process but those of nobody.
    static func becomeNobody() {
        precondition(setgid(nobody) == 0 && setuid(nobody) == 0 && geteuid() == nobody)
    }
}
