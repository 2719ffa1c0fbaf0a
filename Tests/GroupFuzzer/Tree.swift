// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Everything below a folder, in memory: to be put back, and to see what changed.
struct Tree: Equatable {
    enum Node: Equatable {
        case folder
        case file([UInt8])
        /// A file that is too long to be read: how long.
        case huge(Int)
        /// A link, a pipe or whatever else was put there.
        case other
    }

    /// By the path below the folder.
    var nodes: [String: Node] = [:]

    /// Longer files are not read.
    private static let largest = 8 << 20

    init() {}

    init(of folder: String) {
        add("", in: folder)
    }

    private mutating func add(_ path: String, in folder: String) {
        for name in Disk.names(in: folder + "/" + path) {
            let inner = path.isEmpty ? name : path + "/" + name
            switch Disk.kind(of: folder + "/" + inner) {
            case .folder:
                nodes[inner] = .folder
                add(inner, in: folder)
            case .file(let byteCount) where byteCount <= Self.largest:
                nodes[inner] = .file(Disk.read(folder + "/" + inner) ?? [])
            case .file(let byteCount): nodes[inner] = .huge(byteCount)
            case .other: nodes[inner] = .other
            case nil: break
            }
        }
    }

    /// Puts all of it into a folder, in the place of what was there.
    func restore(to folder: String) {
        Disk.remove(folder)
        Disk.makeFolder(folder)
        for (path, node) in nodes.sorted(by: { $0.key < $1.key }) {
            switch node {
            case .folder: Disk.makeFolder(folder + "/" + path)
            case .file(let bytes): Disk.write(bytes, to: folder + "/" + path)
            case .huge, .other: break
            }
        }
    }

    /// Whether all of it can be put back.
    var isComplete: Bool {
        nodes.values.allSatisfy {
            switch $0 {
            case .folder, .file: true
            case .huge, .other: false
            }
        }
    }

    subscript(path: String) -> [UInt8]? {
        guard case .file(let bytes)? = nodes[path] else { return nil }
        return bytes
    }

    /// What is below a folder of the tree, with the same paths.
    func below(_ path: String) -> Tree {
        var part = Tree()
        part.nodes = nodes.filter { $0.key.hasPrefix(path + "/") }
        return part
    }

    /// The paths that are not the same in another tree.
    func differences(to other: Tree) -> [String] {
        Set(nodes.keys).union(other.nodes.keys).filter { nodes[$0] != other.nodes[$0] }.sorted()
    }
}
