/// The folders on the way to another one, open and judged a moment ago: whoever goes the same way at once need not judge them
/// again.
package struct JudgedWay: Sendable {
    /// From the top on; links on the way were followed.
    let folders: [FolderHandle]

    /// Those of the folders that lead to `names`, one for each name, and the top before them.
    func beginning(of names: [String]) -> [FolderHandle] {
        var count = 1
        for name in names {
            // Names are bytes: what people take for the same name may be another folder.
            guard count < folders.count, folders[count].name.utf8.elementsEqual(name.utf8) else { break }
            count += 1
        }
        return Array(folders.prefix(count))
    }
}
