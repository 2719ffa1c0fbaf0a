internal import Synchronization

/// What stands behind a ``ScopeSet``: its text, and its members once somebody asked for them. Most sets that are read
/// are never compared.
final class ScopeSetStorage: Sendable {
    let text: UTF8Text
    private let lazyMembers = AtomicLazyReference<ScopeMembers>()

    init(_ text: UTF8Text) {
        self.text = text
    }

    /// Worked out at the first use, at most once per thread that comes at the same moment; later one atomic load.
    var members: ScopeMembers {
        lazyMembers.load() ?? lazyMembers.storeIfNil(ScopeMembers(text))
    }
}
