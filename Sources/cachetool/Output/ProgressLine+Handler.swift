import CacheAdministration
import TokenCaching

extension ProgressLine {
    /// What the library calls while it works: shows how far it is, and gives up cleanly after Ctrl-C.
    var handler: ProgressHandler {
        Interruption.begin()
        return { [self] progress in
            if Interruption.isWanted { return .cancel }
            let part = progress.totalBytes.map { $0 == 0 ? 0 : Double(progress.completedBytes) / Double($0) }
            update(part: part, entries: progress.entryCount)
            return .proceed
        }
    }
}
