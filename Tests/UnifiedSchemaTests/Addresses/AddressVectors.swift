// SPDX-License-Identifier: Apache-2.0

import Testing
import UnifiedSchema

/// One entry and the addresses that the SDKs' own tests and sources give it.
struct AddressVector: Sendable, CustomTestStringConvertible {
    let name: String
    let section: UTF8Text
    let json: String
    var keys: [KeyFormat: String] = [:]
    var keychain: KeychainAddress?
    var dotNetKeychain: KeychainAddress?

    var testDescription: String { name }
}

private func entry(_ fields: String) -> String { "{\(fields)}" }

private let uid = #""home_account_id":"uid.utid","environment":"login.microsoftonline.com""#
private let labUser = "9f4880d8-80ba-4c40-97bc-f7a23c703084.f645ad92-e38d-4d1a-b510-d1b09a74a8ca"
private let labClient = "b6c69a37-df96-4db0-9088-2ab96e1d8215"
private let labScopes = "calendars.read openid profile tasks.read user.read email"
private let lab =
    #""home_account_id":"\#(labUser)","environment":"login.microsoftonline.com","client_id":"\#(labClient)""#
private let claims = #"{\"access_token\":{\"xms_cc\":{\"values\":[\"cp1\"]}}}"#
private let b2cUser = "ad020f8e-b1ba-44b2-bd69-c22be86737f5-b2c_1_signin.ba6c0d94-a8da-45b2-83ae-33871f9c2dd8"

enum AddressVectors {
    static let accessTokens: [AddressVector] = [
        AddressVector(
            name: "bearer, as in MSAL.NET's key tests",
            section: "AccessToken",
            json: entry(
                #"\#(uid),"client_id":"clientid","realm":"contoso.com","target":"user.read user.write","secret":"s""#
            ),
            keys: [
                .objectiveC: "uid.utid-login.microsoftonline.com-accesstoken-clientid-contoso.com-user.read user.write",
                .dotNet: "uid.utid-login.microsoftonline.com-accesstoken-clientid-contoso.com-user.read user.write",
                .java: "uid.utid-login.microsoftonline.com-accesstoken-clientid-contoso.com-user.read user.write",
                .python: "uid.utid-login.microsoftonline.com-accesstoken-clientid-contoso.com-user.read user.write",
                .android: "uid.utid-login.microsoftonline.com-accesstoken-clientid-contoso.com-user.read user.write",
                .javaScript:
                    "uid.utid-login.microsoftonline.com-accesstoken-clientid-contoso.com-user.read user.write--",
                .go: "uid.utid-login.microsoftonline.com-accesstoken-clientid-contoso.com-user.read user.write-",
            ],
            keychain: KeychainAddress(
                account: "uid.utid-login.microsoftonline.com",
                service: "accesstoken-clientid-contoso.com-user.read user.write",
                generic: "accesstoken-clientid-contoso.com",
                type: 2001
            )
        ),
        AddressVector(
            name: "MSAL Java's golden file",
            section: "AccessToken",
            json: entry(
                #"\#(lab),"realm":"common","target":"\#(labScopes)","secret":"s","credential_type":"AccessToken""#
            ),
            keys: [.java: "\(labUser)-login.microsoftonline.com-accesstoken-\(labClient)-common-\(labScopes)"]
        ),
        AddressVector(
            name: "MSAL ObjC's schema test",
            section: "AccessToken",
            json: entry(
                #"\#(lab),"realm":"f645ad92-e38d-4d1a-b510-d1b09a74a8ca","target":"Calendars.Read openid profile Tasks.Read User.Read email","secret":"s""#
            ),
            keychain: KeychainAddress(
                account: UTF8Text("\(labUser)-login.microsoftonline.com"),
                service: UTF8Text("accesstoken-\(labClient)-f645ad92-e38d-4d1a-b510-d1b09a74a8ca-\(labScopes)"),
                generic: UTF8Text("accesstoken-\(labClient)-f645ad92-e38d-4d1a-b510-d1b09a74a8ca"),
                type: 2001
            )
        ),
        AddressVector(
            name: "B2C, MSAL ObjC's schema test",
            section: "AccessToken",
            json: entry(
                #""home_account_id":"\#(b2cUser)","environment":"login.microsoftonline.com","client_id":"0a7f52dd-260e-432f-94de-b47828c3f372","realm":"ba6c0d94-a8da-45b2-83ae-33871f9c2dd8","target":"https://iosmsalb2c.onmicrosoft.com/webapitest/user.read","secret":"s""#
            ),
            keychain: KeychainAddress(
                account: UTF8Text("\(b2cUser)-login.microsoftonline.com"),
                service:
                    "accesstoken-0a7f52dd-260e-432f-94de-b47828c3f372-ba6c0d94-a8da-45b2-83ae-33871f9c2dd8-https://iosmsalb2c.onmicrosoft.com/webapitest/user.read",
                generic: "accesstoken-0a7f52dd-260e-432f-94de-b47828c3f372-ba6c0d94-a8da-45b2-83ae-33871f9c2dd8",
                type: 2001
            )
        ),
        AddressVector(
            name: "proof of possession",
            section: "AccessToken",
            json: entry(
                #"\#(uid),"client_id":"clientid","realm":"contoso.com","target":"user.read user.write","secret":"s","credential_type":"AccessToken_With_AuthScheme","token_type":"Pop","kid":"k""#
            ),
            keys: [
                .objectiveC:
                    "uid.utid-login.microsoftonline.com-accesstoken_with_authscheme-clientid-contoso.com-user.read user.write-pop",
                .dotNet:
                    "uid.utid-login.microsoftonline.com-accesstoken_with_authscheme-clientid-contoso.com-user.read user.write-pop",
                .android:
                    "uid.utid-login.microsoftonline.com-accesstoken_with_authscheme-clientid-contoso.com-user.read user.write-pop",
                .javaScript:
                    "uid.utid-login.microsoftonline.com-accesstoken_with_authscheme-clientid-contoso.com-user.read user.write--pop",
                .python: "uid.utid-login.microsoftonline.com-accesstoken-clientid-contoso.com-user.read user.write",
            ],
            keychain: KeychainAddress(
                account: "uid.utid-login.microsoftonline.com",
                service: "accesstoken_with_authscheme-clientid-contoso.com-user.read user.write-pop",
                generic: "accesstoken_with_authscheme-clientid-contoso.com",
                type: 2007
            ),
            dotNetKeychain: KeychainAddress(
                account: "uid.utid-login.microsoftonline.com",
                service: "accesstoken_with_authscheme-clientid-contoso.com-user.read user.write-pop",
                generic: "accesstoken_with_authscheme-clientid-contoso.com",
                type: 2001
            )
        ),
        AddressVector(
            name: "SSH certificate, which MSAL.NET's keys do not show",
            section: "AccessToken",
            json: entry(
                #"\#(uid),"client_id":"clientid","realm":"contoso.com","target":"scope1","secret":"s","token_type":"ssh-cert","key_id":"k""#
            ),
            keys: [
                .dotNet: "uid.utid-login.microsoftonline.com-accesstoken-clientid-contoso.com-scope1",
                .go: "uid.utid-login.microsoftonline.com-accesstoken-clientid-contoso.com-scope1-ssh-cert",
                .javaScript:
                    "uid.utid-login.microsoftonline.com-accesstoken_with_authscheme-clientid-contoso.com-scope1--ssh-cert",
                .objectiveC:
                    "uid.utid-login.microsoftonline.com-accesstoken_with_authscheme-clientid-contoso.com-scope1-ssh-cert",
                .python: "uid.utid-login.microsoftonline.com-accesstoken-clientid-contoso.com-scope1",
            ]
        ),
        AddressVector(
            name: "proof of possession in MSAL JS",
            section: "AccessToken",
            json: entry(
                #"\#(uid),"client_id":"app_client_id","realm":"contoso.com","target":"scope1 scope2","secret":"s","credential_type":"AccessToken_With_AuthScheme","token_type":"pop""#
            ),
            keys: [
                .javaScript:
                    "uid.utid-login.microsoftonline.com-accesstoken_with_authscheme-app_client_id-contoso.com-scope1 scope2--pop"
            ]
        ),
        AddressVector(
            name: "proof of possession in MSAL Go",
            section: "AccessToken",
            json: entry(
                #""home_account_id":"testHID","environment":"env","client_id":"clientID","realm":"realm","target":"user.read","secret":"s","token_type":"pop","keyid":"k""#
            ),
            keys: [.go: "testhid-env-accesstoken-clientid-realm-user.read-pop"]
        ),
        AddressVector(
            name: "partitioned by application, MSAL ObjC",
            section: "AccessToken",
            json: entry(
                #"\#(uid),"client_id":"client","realm":"contoso.com","target":"user.read user.write","secret":"s","application_cache_identifier":"App.Bundle.ID""#
            ),
            keychain: KeychainAddress(
                account: "uid.utid-login.microsoftonline.com",
                service: "accesstoken-client-contoso.com-app.bundle.id-user.read user.write",
                generic: "accesstoken-client-contoso.com-app.bundle.id",
                type: 2001
            )
        ),
        AddressVector(
            name: "isolated by claims",
            section: "AccessToken",
            json: entry(
                #"\#(uid),"client_id":"client","realm":"contoso.com","target":"user.read","secret":"s","requested_claims":"\#(claims)""#
            ),
            keys: [
                .android: "uid.utid-login.microsoftonline.com-accesstoken-client-contoso.com-user.read-1745460739",
                .javaScript:
                    "uid.utid-login.microsoftonline.com-accesstoken-client-contoso.com-user.read-wm_76zllnwfqbrarl6c66vrmqlhorxo5baiy6qreklc-",
            ],
            keychain: KeychainAddress(
                account: "uid.utid-login.microsoftonline.com",
                service: "accesstoken-client-contoso.com-user.read|5a6ffbe",
                generic: "accesstoken-client-contoso.com",
                type: 2001
            )
        ),
    ]

    static let extendedTokens: [AddressVector] = [
        AddressVector(
            name: "extended key of an app's own token, MSAL.NET",
            section: "AccessToken",
            json: entry(
                #""environment":"login.windows.net","client_id":"c","realm":"t","target":"r/.default","secret":"s","credential_type":"ATExt","ext":{"key2":"value2","key1":"value1"}"#
            ),
            keys: [
                .dotNet: "-login.windows.net-atext-c-t-r/.default-bns2ytmx5hxkh4fnfixridmezpbbayhnmuh6t4bbghi",
                .python: "-login.windows.net-atext-c-t-r/.default-latlwkpewb_a0rcsmjvkecqt0_huumkw4sflzociike",
            ]
        ),
        AddressVector(
            name: "extended key in MSAL Python and Go",
            section: "AccessToken",
            json: entry(
                #""environment":"login.windows.net","client_id":"c","realm":"t","target":"r/.default","secret":"s","token_type":"Bearer","ext_cache_key":"sqesdoe03ype6mlhjlvqrdmluhkhuswicctrbgkusbo""#
            ),
            keys: [
                .python: "-login.windows.net-atext-c-t-r/.default-sqesdoe03ype6mlhjlvqrdmluhkhuswicctrbgkusbo",
                .go: "-login.windows.net-atext-c-t-r/.default-sqesdoe03ype6mlhjlvqrdmluhkhuswicctrbgkusbo",
            ]
        ),
        AddressVector(
            name: "extended proof of possession, MSAL.NET",
            section: "AccessToken",
            json: entry(
                #""environment":"e","client_id":"c","realm":"t","target":"s","secret":"s","credential_type":"ATExt","token_type":"pop","ext":{"fmi_path":"SomeFmiPath/fmi"}"#
            ),
            keys: [.dotNet: "-e-atext-c-t-s-pop-lf32b6styhzouosvpn4b0mdypwlb2ickdplmw8buora"]
        ),
        AddressVector(
            name: "extended refresh token, MSAL.NET",
            section: "RefreshToken",
            json: entry(#"\#(uid),"client_id":"clientid","secret":"s","ext":{"fmi_path":"SomeFmiPath/fmi"}"#),
            keys: [
                .dotNet:
                    "uid.utid-login.microsoftonline.com-refreshtoken-clientid--lf32b6styhzouosvpn4b0mdypwlb2ickdplmw8buora"
            ]
        ),
    ]
}
