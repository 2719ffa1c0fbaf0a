/// How a document is laid out.
package enum DocumentForm: Hashable, Sendable {
    /// The unified schema of MSAL: an object of sections, which are objects of entries.
    case unified
    /// `accessTokens.json` of ADAL for Python and the Azure CLI: an array of entries, which name their keys themselves.
    case adal
}
