// SPDX-License-Identifier: Apache-2.0

import ByteOperations

@testable import UnifiedSchema

/// Reads an entry from text, as the reader of documents does once it has read the section and the key. An unknown
/// section makes the entry opaque.
func parse(
    _ json: String,
    section: UTF8Text = "AccessToken",
    key: UTF8Text? = "key",
    depth: Int = DocumentLimits().depth
) throws(SchemaError) -> ParsedEntry {
    let bytes = Array(json.utf8)
    // An entry is two levels below its document.
    var scanner = JSONScanner(bytes.rawSpan, maximumDepth: depth)
    var members: [EntryMembers.Member] = []
    let range = try EntryMembers.scan(&scanner, depth: 3, into: &members)
    let location = EntryLocation(
        section: DocumentSection(name: section),
        sectionName: JSONString.quotedContent(section),
        key: key.map { .apart(JSONString.quotedContent($0)) } ?? .none
    )
    return EntryMembers.assemble(bytes.rawSpan, range: range, members: members, at: location)
}

/// The payload of an entry whose only secret is this token, which needs no escapes.
func payload(ofToken token: String) -> [UInt8] {
    let source = Array("\"\(token)\"".utf8)
    let secrets = SecretRanges(ranges: [0..<source.count], tokenIndex: 0)
    return [UInt8](capacity: SecretPayload.byteCount(secrets)) {
        SecretPayload.write(secrets, of: source.rawSpan, into: &$0)
    }
}

/// The text at the places of secrets.
func secretTexts(_ result: ParsedEntry, in json: String) -> [String] {
    let bytes = Array(json.utf8)
    return result.secrets.ranges.map { String(decoding: bytes[$0], as: UTF8.self) }
}

/// An access token as MSAL Python writes it.
let pythonAccessToken = """
    {"credential_type": "AccessToken", "secret": "ey.secret.token", "home_account_id": "UID.utid",
    "environment": "login.example.com", "client_id": "my_client_id", "target": "s1 s2 S3", "realm": "contoso",
    "token_type": "Bearer", "cached_at": "1000", "expires_on": "4600", "extended_expires_on": "4601",
    "refresh_on": "2800"}
    """
