// SPDX-License-Identifier: Apache-2.0

/// Who is signed in, and which refresh token of each session is the one that counts.
struct Sessions {
    private struct Session {
        let username: String
        var current = 0
        var isRevoked = false
    }

    private let hasGrace: Bool
    private var sessions: [Session] = []
    private var renewals = 0
    private var refusals = 0
    private var revocations = 0
    /// How often each of the scopes was asked for that are never granted.
    private var denied = 0
    private var throttled = 0
    private var bare = 0

    init(hasGrace: Bool) {
        self.hasGrace = hasGrace
    }

    /// What was asked of it so far.
    var figures: String {
        let never = [("denied", denied), ("throttled", throttled), ("bare", bare)].filter { $0.1 > 0 }
            .map { #","\#($0.0)":\#($0.1)"# }.joined()
        return #"{"renewals":\#(renewals),"refusals":\#(refusals),"revocations":\#(revocations)\#(never)}"#
    }

    mutating func answer(_ form: [String: String]) -> (status: Int, body: String) {
        guard let client = form["client_id"] else { return Sessions.refusal("invalid_request") }
        if form["grant_type"] != "refresh_token" {
            guard let username = form["username"] else { return Sessions.refusal("invalid_request") }
            sessions.append(Session(username: username))
            return (200, response(sessions.count - 1, client, lifetime: form["lifetime"] ?? "3600"))
        }
        renewals += 1
        if let refusal = refusal(of: form["scope"]) { return refusal }
        let parts = (form["refresh_token"] ?? "").split(separator: ".").compactMap { Int($0) }
        guard parts.count == 2, sessions.indices.contains(parts[0]), !sessions[parts[0]].isRevoked else {
            refusals += 1
            return Sessions.refusal("invalid_grant", "bad_token")
        }
        let (number, spent) = (parts[0], parts[1])
        if spent == sessions[number].current {
            sessions[number].current += 1
        } else if !(hasGrace && spent == sessions[number].current - 1) {
            // Spent before: somebody stole it, for all that we know.
            sessions[number].isRevoked = true
            refusals += 1
            revocations += 1
            return Sessions.refusal("invalid_grant", "bad_token")
        }
        return (
            200, response(number, client, lifetime: form["lifetime"] ?? "3600", scope: form["scope"] ?? "User.Read")
        )
    }

    /// What comes of scopes that are never granted, whatever refresh token is spent.
    private mutating func refusal(of scope: String?) -> (status: Int, body: String)? {
        switch scope {
        case "Denied":
            denied += 1
            return Sessions.refusal("interaction_required", "basic_action")
        case "Throttled":
            throttled += 1
            return (429, "")
        case "Bare":
            bare += 1
            return Sessions.refusal("invalid_grant")
        default: return nil
        }
    }

    private static func refusal(_ error: String, _ suberror: String = "") -> (status: Int, body: String) {
        (400, #"{"error":"\#(error)","suberror":"\#(suberror)","error_description":"refused"}"#)
    }

    private func response(_ number: Int, _ client: String, lifetime: String, scope: String = "User.Read") -> String {
        let session = sessions[number]
        let clientInfo = Base64URL.encode(#"{"uid":"\#(session.username)","utid":"tenant"}"#)
        let claims = Base64URL.encode(
            """
            {"oid":"\(session.username)","tid":"tenant","sub":"\(session.username)","aud":"\(client)",\
            "preferred_username":"\(session.username)@contoso.example","name":"\(session.username)"}
            """
        )
        return """
            {"token_type":"Bearer","scope":"\(scope)","expires_in":\(lifetime),"foci":"1",\
            "access_token":"at.\(number).\(session.current)","refresh_token":"rt.\(number).\(session.current)",\
            "client_info":"\(clientInfo)","id_token":"\(Base64URL.encode(#"{"alg":"none"}"#)).\(claims).x"}
            """
    }
}
