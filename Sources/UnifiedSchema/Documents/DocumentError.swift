/// Why a document could not be read or written: what stands in it, or what carries it.
package enum DocumentError<Failure: Error>: Error {
    case schema(SchemaError)
    case transport(Failure)
}
