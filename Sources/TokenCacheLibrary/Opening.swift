// SPDX-License-Identifier: Apache-2.0
// The header documents these functions.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import CTokenCache
internal import CacheAdministration
internal import RecordStorage
internal import TokenCaching

// SAFETY: in this file pointers of the caller are only passed on to what checks them, or were checked.

@c @implementation
public func tokencache_abi_version() -> UInt32 { 1 }

@c @implementation
public func tokencache_open(
    _ group: UnsafePointer<CChar>?,
    _ client_id: UnsafePointer<CChar>?,
    _ options: UnsafePointer<tokencache_options>?,
    _ cache: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<tokencache_error>?
) -> Int32 {
    unsafe cache?.pointee = nil
    return unsafe reporting(to: error) { () throws(CallFailure) in
        let result = unsafe try required(cache, "cache")
        let name = unsafe try requiredText(group, "group")
        let client = unsafe try requiredText(client_id, "client_id")
        let opening = unsafe try Opening(options)
        let opened = try calling(
            try TokenCache(
                group: name,
                clientID: client,
                root: opening.root,
                storage: opening.storage,
                options: opening.cacheOptions
            )
        )
        guard let handle = unsafe handles.insert(opened) else { throw .tooManyHandles }
        unsafe result.pointee = handle
    }
}

@c @implementation
public func tokencache_close(_ cache: OpaquePointer?) -> Int32 {
    unsafe removing(cache, TokenCache.self) { $0.close() }
}

@c @implementation
public func tokencache_group_open(
    _ group: UnsafePointer<CChar>?,
    _ options: UnsafePointer<tokencache_options>?,
    _ handle: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<tokencache_error>?
) -> Int32 {
    unsafe handle?.pointee = nil
    return unsafe reporting(to: error) { () throws(CallFailure) in
        let result = unsafe try required(handle, "handle")
        let name = unsafe try requiredText(group, "group")
        let opening = unsafe try Opening(options)
        let opened = try calling(
            try CacheGroup.open(
                name,
                root: opening.root,
                storage: opening.storage,
                timeout: opening.cacheOptions.timeout,
                prompts: opening.cacheOptions.prompts
            )
        )
        guard let new = unsafe handles.insert(opened) else { throw .tooManyHandles }
        unsafe result.pointee = new
    }
}

@c @implementation
public func tokencache_group_close(_ group: OpaquePointer?) -> Int32 {
    unsafe removing(group, CacheGroup.self) { $0.close() }
}

@c @implementation
public func tokencache_group_revision(
    _ group: OpaquePointer?,
    _ revision: UnsafeMutablePointer<UInt64>?,
    _ error: UnsafeMutablePointer<tokencache_error>?
) -> Int32 {
    unsafe reporting(to: error) { () throws(CallFailure) in
        let result = unsafe try required(revision, "revision")
        unsafe result.pointee = try handles.retained(group, CacheGroup.self).opened.store.revision.load()
    }
}

/// Closes what a handle stands for. There is nothing to close behind NULL.
func removing<Object: Handled>(_ pointer: OpaquePointer?, _ type: Object.Type, _ close: (Object) -> Void) -> Int32 {
    guard unsafe pointer != nil else { return 0 }
    return reporting(to: nil) { () throws(CallFailure) in close(unsafe try handles.remove(pointer, type)) }
}

/// The options of a caller.
struct Opening {
    private(set) var root: String?
    private(set) var storage = StorageChoice.automatic
    private(set) var cacheOptions = TokenCacheOptions()

    init(_ pointer: UnsafePointer<tokencache_options>?) throws(CallFailure) {
        cacheOptions.startsThreads = false
        guard let pointer = unsafe pointer else { return }
        let options = unsafe try filled(pointer, "options")
        let allFlags = TOKENCACHE_KEYRING_PROMPTS | TOKENCACHE_UNLOCK_BY_KEYRING | TOKENCACHE_BACKGROUND_THREADS
        let flags = unsafe Int(options.flags)
        guard flags & ~allFlags == 0 else { throw .invalidRequest("options has unknown flags") }
        unsafe root = try text(options.root, "root")
        cacheOptions.startsThreads = flags & TOKENCACHE_BACKGROUND_THREADS != 0
        if flags & TOKENCACHE_KEYRING_PROMPTS != 0 { cacheOptions.prompts = .allowed() }
        if let timeout = unsafe duration(ofMilliseconds: options.timeout_ms) { cacheOptions.timeout = timeout }
        let collection = unsafe try text(options.collection, "collection")
        let keys = unsafe try Self.keys(options, collection: collection)
        switch unsafe Int(options.storage) {
        case TOKENCACHE_STORAGE_FILE:
            storage = .file(unlockedBy: keys.isEmpty ? .keyFile : .anyOf(keys))
            return
        case TOKENCACHE_STORAGE_AUTOMATIC: storage = .automatic
        case TOKENCACHE_STORAGE_KEYRING: storage = .keyring(collection: collection)
        case TOKENCACHE_STORAGE_MEMORY: storage = .memory
        default: throw .invalidRequest("storage is none of the known ones")
        }
        guard keys.isEmpty else { throw .invalidRequest("keys are for TOKENCACHE_STORAGE_FILE") }
    }

    private static func keys(
        _ options: tokencache_options,
        collection: String?
    ) throws(CallFailure) -> [FileUnlocking] {
        var keys: [FileUnlocking] = []
        if let path = unsafe try text(options.key_file, "key_file") { keys.append(.keyFile(path: path)) }
        if let path = unsafe try text(options.mounted_secret, "mounted_secret") {
            keys.append(.mountedSecret(path: path))
        }
        if let name = unsafe try text(options.credential, "credential") { keys.append(.credential(name)) }
        if unsafe Int(options.flags) & TOKENCACHE_UNLOCK_BY_KEYRING != 0 {
            keys.append(.keyring(collection: collection))
        }
        if unsafe options.passphrase != nil || options.passphrase_count != 0 {
            let kept = unsafe try withBytes(options.passphrase, options.passphrase_count, "passphrase") {
                (bytes) throws(CallFailure) in KeptPassphrase(try calling(try Passphrase(copying: bytes)))
            }
            keys.append(.passphrase { (_) throws(TokenCacheError) in try kept.passphrase.copy() })
        }
        return keys
    }
}

/// A passphrase that is asked for whenever the keys of the group change.
private final class KeptPassphrase: Sendable {
    let passphrase: Passphrase

    init(_ passphrase: consuming Passphrase) {
        self.passphrase = passphrase
    }
}
