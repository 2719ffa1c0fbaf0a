// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage
internal import TokenCaching

/// A group as a whole.
final class OpenGroup: Sendable {
    private let opened: OpenedGroup

    init(_ name: String, _ opening: Opening) throws(TokenCacheError) {
        opened = try translating(
            try GroupOpener(
                try GroupLocation(name, root: opening.root, environment: Environment.folders),
                storage: opening.storage,
                access: .readWrite,
                timeout: opening.cacheOptions.timeout,
                prompts: opening.cacheOptions.prompts
            ).open()
        )
    }

    deinit {
        close()
    }

    func revision() throws(TokenCacheError) -> UInt64 {
        try translating(try opened.checkProcess())
        return opened.store.revision.load()
    }

    func close() {
        // A child must not close what its parent opened.
        guard (try? opened.checkProcess()) != nil else { return }
        opened.store.close()
    }
}
