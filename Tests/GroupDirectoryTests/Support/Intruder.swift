// SPDX-License-Identifier: Apache-2.0

import Foundation
import GroupDirectory
import RecordStorage
import SystemPackage

/// What can stand where a file of ours belongs.
enum Intruder: String, CaseIterable, Sendable {
    case link, danglingLink, fifo, folder, socket, device, hardLink, groupReadable, worldWritable, foreign

    /// Those that only root can put there.
    static let ofRoot: [Intruder] = [.device, .foreign]
    static let ofAnyone = allCases.filter { !ofRoot.contains($0) }

    var expected: StorageError.Code {
        switch self {
        case .link, .danglingLink, .fifo, .folder, .socket, .device, .hardLink: .unsafeFile
        case .groupReadable, .worldWritable, .foreign: .unsafePermissions
        }
    }

    /// Puts it at `path`, in the place of what is there.
    func location(at path: String, scratch: Scratch) throws {
        let file = scratch.path.appending("elsewhere").string
        Plant.file(file)
        try? FileManager.default.removeItem(atPath: path)
        switch self {
        case .link: try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: file)
        case .danglingLink: try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/nowhere/x")
        case .fifo: Plant.fifo(path)
        case .folder: try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        case .socket: Plant.node(path, S_IFSOCK)
        case .device: Plant.node(path, S_IFCHR, device: 0x103)
        case .hardLink: try FileManager.default.linkItem(atPath: file, toPath: path)
        case .groupReadable: Plant.file(path, mode: 0o640)
        case .worldWritable: Plant.file(path, mode: 0o606)
        case .foreign:
            Plant.file(path)
            Plant.otherOwner(path)
        }
    }
}
