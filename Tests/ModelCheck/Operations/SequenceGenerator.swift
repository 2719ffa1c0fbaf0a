// SPDX-License-Identifier: Apache-2.0

import SeededRandom

/// Makes sequences of operations out of a seed. Everything comes out of small alphabets, so that most operations meet
/// what others left.
struct SequenceGenerator {
    private var random: SeededGenerator
    private var tokens = 0
    /// Whom the last lookup was about.
    private var asked = Person.all[0]
    /// What was saved so far, to ask for again.
    private var responses: [(response: Response, person: Person)] = []
    private var imported: [ModelEntry] = []
    /// Usernames of imported accounts that have no id.
    private var nameless: [String] = []

    /// One hash in both alphabets of base64, and a key that an application chose.
    static let assertions = [
        "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU", "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", "h_-2",
    ]

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    mutating func sequence() -> [Operation] {
        let count = Int.random(in: 4...24, using: &random)
        return (0..<count).flatMap { _ in random.once(in: 8) ? renewal() : [operation()] }
    }

    /// A renewal from beginning to end, with what may come between: somebody signs out, somebody else renews.
    private mutating func renewal() -> [Operation] {
        let cache = Int.random(in: Operation.clients.indices, using: &random)
        var question = lookup()
        question.forceRefresh = !random.once(in: 4)
        // How a renewal keeps a token apart is left to tests of isolation.
        question.extendedKey = nil
        let person = asked
        var operations: [Operation] = random.once(in: 2) ? [.save(response(of: person), by: cache)] : []
        operations.append(.begin(question, by: cache))
        while random.once(in: 2) {
            let other = Int.random(in: Operation.clients.indices, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: operations.append(.signOut(person.homeAccountID, by: random.pick(cache, other)))
            case 1: operations.append(.save(response(of: person), by: random.pick(cache, other)))
            default: operations.append(operation())
            }
        }
        let refusal = random.pick(Refusal.dead, .dead, .clientMismatch, .interactionRequired, .bare)
        operations.append(
            random.once(in: 3) ? .refuse(refusal, by: cache) : .finish(response(of: person), by: cache)
        )
        return operations
    }

    private mutating func operation() -> Operation {
        let cache = Int.random(in: Operation.clients.indices, using: &random)
        switch Int.random(in: 0..<41, using: &random) {
        case 0..<12: return .save(response(), by: cache)
        case 12..<17: return .take(document(), replaces: random.once(in: 6))
        case 17..<28: return .look(lookup(), by: cache)
        case 28..<31: return .list(question(), by: cache)
        case 31..<34: return .signOut(Person.anyID(&random), by: cache)
        case 34: return .wipe(Person.anyID(&random), by: cache)
        case 35: return random.once(in: 3) ? .clear(by: cache) : .wait(1)
        default: return .wait(random.pick(1, 30, 61, 250, 900, 3400, 3700, 8000, -40, -400))
        }
    }

    // MARK: - Responses

    private mutating func response(of known: Person? = nil) -> Response {
        let person = known ?? Person.any(&random)
        var response = Response(
            environment: random.pick(person.hosts),
            tenant: random.pick(person.tenants),
            scopes: scopes(),
            grant: random.pick(.interactive, .interactive, .renewal)
        )
        if known == nil, random.once(in: 12) { return applicationResponse(response) }
        response.accessToken = random.once(in: 8) ? nil : secret("at")
        response.refreshToken = random.once(in: 5) ? nil : secret("rt")
        response.claims = random.once(in: 6) ? nil : claims(of: person, in: response)
        response.clientInfo = person.home == nil || random.once(in: 12) ? nil : person.told
        if response.grant == .renewal {
            response.account = random.once(in: 15) ? random.pick(nil, "u1.t1") : person.homeAccountID
        }
        response.granted = random.once(in: 4) ? nil : scopes() + (random.once(in: 2) ? ["openid", "profile"] : [])
        response.expiresIn = random.pick(nil, 60, 200, 3600, 3600, 3600, random.pick(0, -5, 1_000_000_000_000, .max))
        response.extendedExpiresIn = random.pick(nil, nil, nil, 7200, 7200, random.pick(0, .max))
        response.refreshIn = random.pick(nil, nil, nil, 30, 1800, random.pick(0, -5, 3600, .max))
        response.family = random.pick(nil, nil, nil, "1", "1", "2")
        response.tokenType = random.pick(nil, "Bearer", "Bearer", "Bearer", "bearer", "pop", "ssh-cert")
        if response.tokenType == "pop" || response.tokenType == "ssh-cert" { response.keyID = random.pick("k1", "k2") }
        if response.accessToken == nil, response.refreshToken == nil, response.claims == nil {
            response.accessToken = secret("at")
        }
        if known == nil, random.once(in: 8) { response.isolatedClaims = ImportedEntries.claims }
        if known == nil, random.once(in: 10) { response.applicationIdentifier = random.pick("app.one", "App.One") }
        if known == nil, random.once(in: 8) { response.userAssertion = random.pick(Self.assertions) }
        responses.append((response, person))
        return response
    }

    private mutating func claims(of person: Person, in response: Response) -> [String: String] {
        guard person.home != nil else { return ["sub": person.uid, "upn": person.username] }
        var claims = ["sub": "s-\(person.uid)", "oid": person.uid, "preferred_username": person.username]
        switch folded(response.tenant) {
        case "common", "organizations", "consumers": claims["tid"] = person.home
        case let tenant where Person.meanings[tenant] != nil:
            claims["tid"] = random.once(in: 4) ? nil : random.pick(Person.meanings[tenant] ?? [])
        case let tenant where Clouds.isKnown(response.environment): claims["tid"] = tenant
        default: claims["tid"] = random.pick(nil, person.home)
        }
        if random.once(in: 5) { claims["preferred_username"] = nil }
        if claims["tid"] != person.home, claims["tid"] != nil { claims["oid"] = "guest-\(person.uid)" }
        return claims
    }

    private mutating func applicationResponse(_ made: Response) -> Response {
        var response = made
        response.grant = .application
        response.tenant = random.pick("t1", "t2")
        response.environment = random.pick("login.microsoftonline.com", "login.windows.net")
        response.accessToken = secret("at")
        response.expiresIn = random.pick(nil, 200, 3600)
        responses.append((response, Person.all[0]))
        return response
    }

    // MARK: - Documents

    private mutating func document() -> [ModelEntry] {
        var entries: [ModelEntry] = []
        let imports = ImportedEntries()
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let entry = imports.any(secret: secret("im"), &random)
            if entries.contains(where: { $0.section == entry.section && $0.key == entry.key }) { continue }
            entries.append(entry)
            if entry.isAccount, entry.isNameless { entries += [named(entry)].compactMap(\.self) }
            guard entry.isAccessToken else { continue }
            imported.append(entry)
            if random.once(in: 3) { entries.append(sibling(of: entry)) }
        }
        if let entry = entries.last, random.once(in: 4) { entries += [tied(with: entry)].compactMap(\.self) }
        return entries
    }

    /// The same under another host of its cloud, so that nothing but its place tells which of the two counts. Nil for an
    /// entry that names its time.
    private mutating func tied(with entry: ModelEntry) -> ModelEntry? {
        guard entry.time == nil, !entry.isAccessToken, let environment = entry.text("environment") else { return nil }
        let hosts = Person.all.flatMap(\.hosts).filter { Clouds.cloud(of: $0) == entry.cloud && $0 != environment }
        if hosts.isEmpty { return nil }
        var tied = entry
        tied.members["environment"] = .text(random.pick(hosts))
        if entry.isCredential { tied.members["secret"] = .text(secret("im")) }
        tied.key += " tied"
        return tied
    }

    /// The account of an entry without an id as most libraries have it, now and then.
    private mutating func named(_ entry: ModelEntry) -> ModelEntry? {
        nameless.append(entry.username)
        guard let person = Person.all.first(where: { folded($0.username) == entry.username }), random.once(in: 2) else {
            return nil
        }
        var named = entry
        named.members["home_account_id"] = .text(person.homeAccountID)
        named.key += " named"
        return named
    }

    /// Another token that serves some of the same requests.
    private mutating func sibling(of entry: ModelEntry) -> ModelEntry {
        var sibling = entry
        let more = random.pick("a", "b", "c", "d")
        sibling.members["target"] = .text((entry.text("target") ?? "") + " " + more)
        sibling.members["secret"] = .text(secret("im"))
        // A key of which no part can be told.
        sibling.key = "\(more) " + sibling.key.replacing("-", with: "_")
        if let ends = entry.seconds("expires_on") {
            sibling.members["expires_on"] = .text(String(ends + random.pick(-50, 0, 50)))
        }
        return sibling
    }

    // MARK: - Questions

    private mutating func lookup() -> Lookup {
        if !imported.isEmpty, random.once(in: 4) { return lookupOfImported() }
        if !responses.isEmpty, !random.once(in: 3) { return lookupOfSaved() }
        let person = Person.any(&random)
        asked = person
        var lookup = Lookup(subject: .account(person.homeAccountID), scopes: scopes())
        switch Int.random(in: 0..<10, using: &random) {
        case 0:
            lookup.subject = .username(
                random.pick(person.username, person.username.uppercased(), Person.unknown, "nobody@x")
            )
        case 1: lookup.subject = .account(random.pick(person.homeAccountID, Person.anyID(&random)).uppercased())
        case 2:
            lookup.subject = .application
            lookup.tenant = random.pick("t1", "t2", "T1")
            lookup.environment = random.pick(nil, "login.windows.net")
        case 3 where !nameless.isEmpty: lookup.subject = .username(random.pick(nameless))
        default: break
        }
        if random.once(in: 30) { lookup.scopes = [] }
        if !lookup.isOfApplication {
            let tenant = random.pick(person.tenants)
            lookup.tenant = tenant.isEmpty || random.once(in: 3) ? nil : tenant
            lookup.environment = random.once(in: 3) ? nil : random.pick(person.hosts)
        }
        lookup.tokenType = random.pick(nil, nil, nil, nil, "Bearer", "pop", "POP", "ssh-cert")
        lookup.keyID = lookup.scheme == nil ? nil : random.pick(nil, "k1", "k2")
        addOptions(&lookup)
        if random.once(in: 8) { lookup.userAssertion = random.pick(Self.assertions) }
        return lookup
    }

    /// Asks for what a response brought, or for what differs from it in one thing.
    private mutating func lookupOfSaved() -> Lookup {
        let (response, person) = random.pick(responses)
        asked = person
        var lookup = Lookup(
            subject: .account(person.homeAccountID),
            scopes: response.granted ?? response.scopes,
            tenant: response.claims?["tid"] ?? (response.tenant.isEmpty ? nil : response.tenant),
            environment: response.environment,
            tokenType: response.tokenType,
            keyID: response.keyID,
            isolatedClaims: response.isolatedClaims,
            applicationIdentifier: response.applicationIdentifier,
            userAssertion: response.userAssertion
        )
        if response.grant == .application {
            lookup.subject = .application
            lookup.tenant = response.tenant
        }
        switch Int.random(in: 0..<16, using: &random) {
        case 0: lookup.scopes = scopes()
        case 1: lookup.scopes = lookup.scopes.map { $0.uppercased() }
        case 2 where !lookup.isOfApplication: lookup.tenant = random.pick(person.tenants.filter { !$0.isEmpty })
        case 3 where !lookup.isOfApplication: lookup.tenant = nil
        case 4: lookup.environment = random.pick(person.hosts)
        case 5: lookup.environment = nil
        case 6: lookup.tokenType = random.pick(nil, "pop")
        case 7: lookup.keyID = random.pick(nil, "k1")
        case 8 where !lookup.isOfApplication: lookup.subject = .username(person.username)
        case 9: addOptions(&lookup)
        case 10: lookup.isolatedClaims = random.pick(nil, ImportedEntries.claims, "{}")
        case 11: lookup.applicationIdentifier = random.pick(nil, "app.one", "APP.TWO")
        case 13, 14: if !response.tenant.isEmpty { lookup.tenant = response.tenant }
        case 12: lookup.userAssertion = random.pick([nil] + Self.assertions.map(Optional.some))
        default: break
        }
        return lookup
    }

    /// Asks for an imported access token.
    private mutating func lookupOfImported() -> Lookup {
        let token = random.pick(imported)
        var lookup = Lookup(
            subject: token.account.isEmpty ? .application : .account(token.account),
            scopes: Array(token.scopes.sorted().prefix(random.pick(1, 5))),
            tenant: token.text("realm"),
            environment: random.pick(nil, token.text("environment")),
            tokenType: token.scheme,
            keyID: random.pick(nil, token.keyID),
            isolatedClaims: token.text("requested_claims"),
            applicationIdentifier: token.text("application_cache_identifier"),
            userAssertion: token.text("user_assertion_hash"),
            extendedKey: random.once(in: 4) ? nil : token.extendedKey
        )
        if random.once(in: 4) { addOptions(&lookup) }
        return lookup
    }

    private mutating func addOptions(_ lookup: inout Lookup) {
        lookup.forceRefresh = random.once(in: 8)
        lookup.claims = random.once(in: 10)
        lookup.serverIsUnavailable = random.once(in: 6)
        lookup.buffer = random.once(in: 8) ? random.pick(0, 100, 4000) : nil
    }

    private mutating func question() -> AccountQuestion {
        let person = Person.any(&random)
        var question = AccountQuestion(includesSignedOut: random.once(in: 2))
        if random.once(in: 3) {
            question.identifier = random.pick(
                person.homeAccountID,
                person.homeAccountID.uppercased(),
                Person.anyID(&random)
            )
        }
        if random.once(in: 4) { question.username = random.pick(person.username, person.username.uppercased()) }
        if random.once(in: 6) { question.localAccountID = random.pick(person.uid, "guest-\(person.uid)") }
        return question
    }

    private mutating func scopes() -> [String] {
        random.pick(
            ["a"],
            ["a"],
            ["b"],
            ["a", "b"],
            ["A"],
            ["b", "c"],
            ["r//.default"],
            ["openid"],
            ["a", "openid"],
            ["openid", "offline_access"],
            ["Offline_Access"],
            ["a", "Email", "offline_access"],
            ["phone"]
        )
    }

    private mutating func secret(_ kind: String) -> String {
        tokens += 1
        return "\(kind)\(tokens)"
    }
}
