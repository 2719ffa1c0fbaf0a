/// How much a reader takes. Beyond any of these it throws `limitExceeded` with the place.
package struct DocumentLimits: Hashable, Sendable {
    /// How deep values may nest, the document itself being the first level. At most 128.
    package var depth = 32
    /// Bytes of the whole document.
    package var documentBytes = 64 << 20
    /// Bytes of one entry, its key not counted, or of one top-level value that has no meaning here. Facts and secrets
    /// of such an entry fit into boxes of 1 MiB, whatever its key.
    package var entryBytes = 960 << 10
    /// Bytes of one key or section name, as written.
    package var keyBytes = 64 << 10

    package init() {}
}
