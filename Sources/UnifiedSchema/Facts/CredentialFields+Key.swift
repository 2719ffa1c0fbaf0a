// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

/// The only use of keys for comparing: an SDK that a later version knows may isolate a token by a part of its key.
extension CredentialFields {
    /// The part of an access token's key that none of its members explains, folded; nil if there is none.
    ///
    /// Keys are otherwise never parsed. One that does not name the token's account, type, client and scopes, in the order
    /// in which all SDKs write them, says nothing.
    func unexplainedPart(ofKey key: FactsReader.Name, in facts: RawSpan) -> UTF8Text? {
        let content = facts.extracting(key.range)
        if !key.hasEscapes { return unexplainedPart(ofKey: content, in: facts) }
        return JSONString.text(of: content, hasEscapes: true).flatMap { unexplainedPart(ofKey: $0.bytes, in: facts) }
    }

    private func unexplainedPart(ofKey key: RawSpan, in facts: RawSpan) -> UTF8Text? {
        let rest: LooseKey.Rest?
        if let end = endOfMembers(in: key) {
            // Nearly all keys end with dashes or nothing.
            guard (end..<key.byteCount).contains(where: { key.byte(at: $0) != ASCII.minus }) else { return nil }
            rest = UTF8Text(normalizing: key.extracting(end..<key.byteCount)).map {
                LooseKey.Rest(front: "", end: $0.string)
            }
        } else {
            rest = UTF8Text(normalizing: key).flatMap { LooseKey(self)?.rest(of: $0) }
        }
        guard let rest, !(rest.front + rest.end).allSatisfy({ $0 == "-" }) else { return nil }
        return unexplained(rest, in: facts)
    }

    /// The offset behind the scopes in a key that begins with the members as they are.
    private func endOfMembers(in key: RawSpan) -> Int? {
        let subject = homeAccountID.map(HomeAccountID.subject)
        guard let account = key.endOfPart(subject, at: 0), let host = key.endOfPart(environment, at: account),
            let type = key.endOfPart("accesstoken", at: host)
                ?? key.endOfPart("accesstoken_with_authscheme", at: host) ?? key.endOfPart("atext", at: host),
            let client = key.endOfPart(clientID, at: type), let tenant = key.endOfPart(realm, at: client)
        else { return nil }
        return key.endOfLastPart(target?.text, at: tenant)
    }

    /// The rest of a key if the members do not explain all of it.
    private func unexplained(_ rest: LooseKey.Rest, in facts: RawSpan) -> UTF8Text? {
        guard let entry = try? EntryFacts(decoding: facts) else { return nil }
        let parts = KeyParts(entry)
        let stored = entry.key?.asciiLowercased()
        if KeyFormat.allCases.contains(where: { parts.documentKey($0)?.asciiLowercased() == stored }) { return nil }
        var (front, end) = (rest.front, rest.end)
        for part in knownParts(parts) {
            if let range = front.firstPlace(of: part) {
                front.removeSubrange(range)
            } else if let range = end.firstPlace(of: part) {
                end.removeSubrange(range)
            }
        }
        let isSeparator = { (character: Character) in character == "-" || character == "|" }
        let number = end.drop(while: isSeparator).reversed().drop(while: isSeparator)
        // This library appends a number if keys would be equal.
        let isNumber = number.count <= 4 && number.last != "0" && number.allSatisfy { $0.isASCII && $0.isNumber }
        if isNumber, front.allSatisfy(isSeparator) { return nil }
        return UTF8Text(String((rest.front + rest.end).drop { $0 == "-" }))
    }

    /// The texts that an SDK may write beside the members above, folded, the longest first.
    private func knownParts(_ parts: KeyParts) -> [String] {
        let isolation = parts.isolation
        let digests: [String] =
            isolation.claims.map { claims in
                [ClaimsDigest.javaScript(claims), ClaimsDigest.objectiveC(claims), ClaimsDigest.android(claims)].map {
                    "\($0)"
                }
            } ?? []
        let texts = [
            tokenType, parts.tokenType, keyID, parts.requestedClaimsHash, isolation.claims, isolation.application,
            isolation.assertionHash, parts.mamEnrollmentIdentifier,
        ].compactMap { $0?.normalizedUnlessBlank?.string }
        let issuer = homeAccountID.flatMap(HomeAccountID.issuer).map { [HomeAccountID.keyPart(ofIssuer: $0)] } ?? []
        return (texts + (digests + issuer).map { $0.lowercased() }).sorted { $0.utf8.count > $1.utf8.count }
    }
}

extension RawSpan {
    /// The offset behind a part of a key, in any case, and the dash after it; nil if something else stands there. A
    /// missing part is empty.
    fileprivate func endOfPart(_ part: UTF8Text?, at start: Int) -> Int? {
        guard let end = endOfText(part, at: start), end < byteCount, byte(at: end) == ASCII.minus else { return nil }
        return end + 1
    }

    /// The same for the last part that all SDKs write, after which the key may end.
    fileprivate func endOfLastPart(_ part: UTF8Text?, at start: Int) -> Int? {
        guard let end = endOfText(part, at: start) else { return nil }
        let isEnd = end == byteCount || byte(at: end) == ASCII.minus || byte(at: end) == UInt8(ascii: "|")
        return isEnd ? end : nil
    }

    private func endOfText(_ part: UTF8Text?, at start: Int) -> Int? {
        guard let part else { return start }
        let text = part.bytes
        let end = start + text.byteCount
        guard end <= byteCount, extracting(start..<end).isEqual(ignoringCase: text) else { return nil }
        return end
    }
}
