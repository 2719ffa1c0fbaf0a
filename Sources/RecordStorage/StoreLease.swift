/// The right to do one thing that only one process of a group may do at a time, such as spending a refresh token: held
/// until it is given back or nobody refers to it any more.
///
/// It may be held for as long as it takes, across network calls: nobody who only reads or writes the group waits for it.
/// It goes back when its process ends, however that happens, and a forked child does not have it.
package protocol StoreLease: AnyObject, Sendable {
    /// Gives it back. Later calls do nothing.
    func release()
}
