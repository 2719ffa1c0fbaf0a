// SPDX-License-Identifier: Apache-2.0

import SeededRandom

/// Somebody that sequences sign in: with a home, and the tenants that know them.
struct Person: Sendable {
    let uid: String
    /// The tenant of the home account id; nil for an issuer that sends no `client_info`.
    let home: String?
    let username: String
    let hosts: [String]
    let tenants: [String]

    /// What `client_info` says: not the policy that MSAL for Java puts behind it.
    var told: String? { home.map { "\(uid).\($0.split(separator: "-b2c_1")[0])" } }

    /// The tenants that id tokens name where a request named one by a text, by text.
    static let meanings = ["contoso.com": ["t1", "t1", "t2"], "contoso.onmicrosoft.com": ["t7", "t7", "t8"]]

    var homeAccountID: String { home.map { "\(uid).\($0)" } ?? uid }

    private static let publicHosts = ["login.microsoftonline.com", "login.windows.net", "LOGIN.microsoftonline.com"]
    private static let americanHosts = ["login.microsoftonline.us", "login.usgovcloudapi.net"]

    /// At work and a guest elsewhere, with a personal account, in another cloud too, at a B2C policy (once as MSAL for Java
    /// writes it), at a host of External ID, at an ADFS, at some other issuer. Two have one username.
    static let all = [
        Person(
            uid: "u1",
            home: "t1",
            username: "ann@x",
            hosts: publicHosts + ["login.microsoftonline.us"],
            tenants: ["t1", "t1", "t2", "common", "organizations", "contoso.com", "Contoso.com"]
        ),
        Person(
            uid: "u2",
            home: "t2",
            username: "Bob@x",
            hosts: publicHosts + americanHosts,
            tenants: ["t1", "t2", "common", "organizations", "contoso.com"]
        ),
        Person(
            uid: "u3",
            home: Clouds.personalTenant,
            username: "ann@x",
            hosts: publicHosts,
            tenants: [Clouds.personalTenant, "consumers", "common", "t1"]
        ),
        Person(
            uid: "u4-b2c_1_a",
            home: "t2",
            username: "cy@x",
            hosts: ["contoso.b2clogin.com"],
            tenants: ["contoso/b2c_1_a", "contoso/b2c_1_b"]
        ),
        Person(
            uid: "u4",
            home: "t2-b2c_1_a",
            username: "cy@x",
            hosts: ["contoso.b2clogin.com"],
            tenants: ["contoso/b2c_1_a", "contoso/b2c_1_b"]
        ),
        Person(
            uid: "u7",
            home: "t7",
            username: "fay@x",
            hosts: ["contoso.ciamlogin.com"],
            tenants: ["contoso.onmicrosoft.com", "contoso.onmicrosoft.com", "t7", "t8"]
        ),
        Person(uid: "s5", home: nil, username: "dee@x", hosts: ["adfs.contoso.com"], tenants: ["adfs"]),
        Person(
            uid: "s6",
            home: nil,
            username: "eve@x",
            hosts: ["idp.example.com"],
            tenants: ["realms/a", "realms/b", ""]
        ),
    ]

    /// A username that no home account id goes with.
    static let unknown = "gil@x"

    /// Whom a removal, a lookup or a list names: an id, now and then the username of an account without one.
    static func anyID(_ random: inout SeededGenerator) -> String {
        let person = any(&random)
        return random.once(in: 6) ? random.pick(person.username, unknown) : person.homeAccountID
    }

    /// The first ones come more often: collisions find more than variety.
    static func any(_ random: inout SeededGenerator) -> Person {
        random.once(in: 3) ? random.pick(all) : random.pick(all[0], all[0], all[1], all[2])
    }
}
