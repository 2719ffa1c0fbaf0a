// SPDX-License-Identifier: Apache-2.0

import UnifiedSchema

private let uid = #""home_account_id":"uid.utid","environment":"login.microsoftonline.com""#
private let python = #""home_account_id":"uid.utid","environment":"login.example.com","client_id":"my_client_id""#
private let labUser = "9f4880d8-80ba-4c40-97bc-f7a23c703084.f645ad92-e38d-4d1a-b510-d1b09a74a8ca"
private let personalUser = "00000000-0000-0000-40c0-3bac188d01d1.9188040d-6c67-4c5b-b112-36a304b66dad"

extension AddressVectors {
    static let refreshTokens: [AddressVector] = [
        AddressVector(
            name: "refresh token of one app",
            section: "RefreshToken",
            json: #"{\#(uid),"client_id":"clientid","secret":"s"}"#,
            keys: [
                .objectiveC: "uid.utid-login.microsoftonline.com-refreshtoken-clientid--",
                .dotNet: "uid.utid-login.microsoftonline.com-refreshtoken-clientid--",
                .java: "uid.utid-login.microsoftonline.com-refreshtoken-clientid--",
                .android: "uid.utid-login.microsoftonline.com-refreshtoken-clientid--",
                .javaScript: "uid.utid-login.microsoftonline.com-refreshtoken-clientid----",
                .go: "uid.utid-login.microsoftonline.com-refreshtoken-clientid",
            ],
            keychain: KeychainAddress(
                account: "uid.utid-login.microsoftonline.com",
                service: "refreshtoken-clientid--",
                generic: "refreshtoken-clientid-",
                type: 2002
            )
        ),
        AddressVector(
            name: "refresh token of a family",
            section: "RefreshToken",
            json: #"{\#(uid),"client_id":"clientid","family_id":"1","secret":"s"}"#,
            keys: [
                .objectiveC: "uid.utid-login.microsoftonline.com-refreshtoken-1--",
                .dotNet: "uid.utid-login.microsoftonline.com-refreshtoken-1--",
                .java: "uid.utid-login.microsoftonline.com-refreshtoken-1--",
                .android: "uid.utid-login.microsoftonline.com-refreshtoken-1--",
                .javaScript: "uid.utid-login.microsoftonline.com-refreshtoken-1----",
                .go: "uid.utid-login.microsoftonline.com-refreshtoken-1",
                .python: "uid.utid-login.microsoftonline.com-refreshtoken-clientid--",
            ],
            keychain: KeychainAddress(
                account: "uid.utid-login.microsoftonline.com",
                service: "refreshtoken-1--",
                generic: "refreshtoken-1-",
                type: 2002
            )
        ),
        AddressVector(
            name: "refresh token with scopes, MSAL Python",
            section: "RefreshToken",
            json: #"{\#(python),"target":"s1 s2 s3","secret":"s"}"#,
            keys: [
                .python: "uid.utid-login.example.com-refreshtoken-my_client_id--s1 s2 s3",
                .android: "uid.utid-login.example.com-refreshtoken-my_client_id--s1 s2 s3",
            ]
        ),
        AddressVector(
            name: "family under its long name, Android",
            section: "RefreshToken",
            json: #"{\#(uid),"client_id":"clientid","family_id":"foci-1","secret":"s"}"#,
            keys: [.android: "uid.utid-login.microsoftonline.com-refreshtoken-1--"]
        ),
        AddressVector(
            name: "nobody's refresh token, MSAL Java",
            section: "RefreshToken",
            json: #"{"environment":"e","client_id":"c","secret":"s"}"#,
            keys: [.java: "null-e-refreshtoken-c--", .dotNet: "-e-refreshtoken-c--"]
        ),
        AddressVector(
            name: "primary refresh token",
            section: "RefreshToken",
            json:
                #"{\#(uid),"client_id":"CID","secret":"s","session_key":"k","credential_type":"PrimaryRefreshToken"}"#,
            keys: [.objectiveC: "uid.utid-login.microsoftonline.com-primaryrefreshtoken-cid--"],
            keychain: KeychainAddress(
                account: "uid.utid-login.microsoftonline.com",
                service: "primaryrefreshtoken-cid--",
                generic: "primaryrefreshtoken-cid-",
                type: 2005
            )
        ),
        AddressVector(
            name: "family refresh token that is kept once",
            section: "RefreshToken",
            json: #"{\#(uid),"client_id":"CID","family_id":"1","secret":"s","credential_type":"FamilyRefreshToken"}"#,
            keys: [.objectiveC: "uid.utid-login.microsoftonline.com-familyrefreshtoken-1--"],
            keychain: KeychainAddress(
                account: "uid.utid-login.microsoftonline.com",
                service: "familyrefreshtoken-1--",
                generic: "familyrefreshtoken-1-",
                type: 2008
            )
        ),
        AddressVector(
            name: "refresh token bound to a device",
            section: "RefreshToken",
            json:
                #"{\#(uid),"client_id":"CID","secret":"s","credential_type":"BoundRefreshToken","bound_device_id":"d"}"#,
            keys: [.objectiveC: "uid.utid-login.microsoftonline.com-boundrefreshtoken-cid--"],
            keychain: KeychainAddress(
                account: "uid.utid-login.microsoftonline.com",
                service: "boundrefreshtoken-cid--",
                generic: "boundrefreshtoken-cid-",
                type: 2009
            )
        ),
    ]

    static let idTokens: [AddressVector] = [
        AddressVector(
            name: "id token, MSAL.NET's key tests",
            section: "IdToken",
            json: #"{\#(uid),"client_id":"clientid","realm":"contoso.com","secret":"s"}"#,
            keys: [
                .dotNet: "uid.utid-login.microsoftonline.com-idtoken-clientid-contoso.com-",
                .java: "uid.utid-login.microsoftonline.com-idtoken-clientid-contoso.com-",
                .android: "uid.utid-login.microsoftonline.com-idtoken-clientid-contoso.com-",
                .objectiveC: "uid.utid-login.microsoftonline.com-idtoken-clientid-contoso.com-",
                .javaScript: "uid.utid-login.microsoftonline.com-idtoken-clientid-contoso.com---",
            ],
            keychain: KeychainAddress(
                account: "uid.utid-login.microsoftonline.com",
                service: "idtoken-clientid-contoso.com-",
                generic: "idtoken-clientid-contoso.com",
                type: 2003
            )
        ),
        AddressVector(
            name: "id token, MSAL Python's tests",
            section: "IdToken",
            json: #"{\#(python),"realm":"contoso","secret":"s"}"#,
            keys: [.python: "uid.utid-login.example.com-idtoken-my_client_id-contoso-"]
        ),
        AddressVector(
            name: "id token, MSAL Go's tests",
            section: "IdToken",
            json: #"{"home_account_id":"HID","environment":"env","client_id":"clientID","realm":"realm","secret":"s"}"#,
            keys: [.go: "hid-env-idtoken-clientid-realm"]
        ),
        AddressVector(
            name: "id token of the first version",
            section: "IdToken",
            json: #"{\#(uid),"client_id":"CID","realm":"RLM","secret":"s","credential_type":"V1IdToken"}"#,
            keys: [.objectiveC: "uid.utid-login.microsoftonline.com-v1idtoken-cid-rlm-"],
            keychain: KeychainAddress(
                account: "uid.utid-login.microsoftonline.com",
                service: "v1idtoken-cid-rlm-",
                generic: "v1idtoken-cid-rlm",
                type: 2006
            )
        ),
    ]

    static let others: [AddressVector] = [
        AddressVector(
            name: "account, MSAL Python's tests",
            section: "Account",
            json: #"{"home_account_id":"UID.utid","environment":"login.example.com","realm":"contoso"}"#,
            keys: [
                .python: "uid.utid-login.example.com-contoso",
                .go: "uid.utid-login.example.com-contoso",
                .java: "uid.utid-login.example.com-contoso",
                .android: "uid.utid-login.example.com-contoso",
                .objectiveC: "uid.utid-login.example.com-contoso",
                .dotNet: "UID.utid-login.example.com-contoso",
                .javaScript: "uid.utid-login.example.com-utid",
            ]
        ),
        AddressVector(
            name: "personal account, MSAL Java's golden file",
            section: "Account",
            json:
                #"{"home_account_id":"\#(personalUser)","environment":"login.microsoftonline.com","realm":"common"}"#,
            keys: [.java: "\(personalUser)-login.microsoftonline.com-common"]
        ),
        AddressVector(
            name: "account, MSAL ObjC's schema test",
            section: "Account",
            json:
                #"{"home_account_id":"\#(labUser)","environment":"login.microsoftonline.com","realm":"F645ad92-e38d-4d1a-b510-d1b09a74a8ca","username":"IDLab@msidlab4.onmicrosoft.com","authority_type":"MSSTS"}"#,
            keychain: KeychainAddress(
                account: UTF8Text("\(labUser)-login.microsoftonline.com"),
                service: "f645ad92-e38d-4d1a-b510-d1b09a74a8ca",
                generic: "idlab@msidlab4.onmicrosoft.com",
                type: 1003
            )
        ),
        AddressVector(
            name: "account without a user name in the answer",
            section: "Account",
            json:
                #"{"home_account_id":"a.b","environment":"e","realm":"r","username":"Missing from the token response","authority_type":"MSA"}"#,
            keychain: KeychainAddress(
                account: "a.b-e",
                service: "r",
                generic: "missing from the token response",
                type: 1002
            )
        ),
        AddressVector(
            name: "app metadata, MSAL Java's golden file",
            section: "AppMetadata",
            json: #"{"environment":"login.microsoftonline.com","client_id":"b6c69a37-df96-4db0-9088-2ab96e1d8215"}"#,
            keys: [.java: "appmetadata-login.microsoftonline.com-b6c69a37-df96-4db0-9088-2ab96e1d8215"]
        ),
        AddressVector(
            name: "app metadata, MSAL Go's tests; Python does not fold",
            section: "AppMetadata",
            json: #"{"environment":"Env","client_id":"CID","family_id":"1"}"#,
            keys: [
                .go: "appmetadata-env-cid",
                .javaScript: "appmetadata-env-cid",
                .dotNet: "appmetadata-env-cid",
                .objectiveC: "appmetadata-env-cid",
                .python: "appmetadata-Env-CID",
            ],
            keychain: KeychainAddress(account: "Env", service: "appmetadata-cid", generic: "1", type: 3001)
        ),
        AddressVector(
            name: "account metadata",
            section: "AccountMetadataMap",
            json: #"{"client_id":"CID"}"#,
            keys: [.objectiveC: "authority_map-CID"],
            keychain: KeychainAddress(account: "authority_map", service: "CID", type: 5001)
        ),
    ]
}
