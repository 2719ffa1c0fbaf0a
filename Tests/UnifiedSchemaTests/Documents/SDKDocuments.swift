// SPDX-License-Identifier: Apache-2.0

import Testing
import UnifiedSchema

/// A document as one SDK writes it, and what has to be seen in it.
struct SDKDocument: Sendable, CustomTestStringConvertible {
    let name: String
    let json: String
    /// Section, key and kind of each entry, in order.
    let entries: [String]
    /// The format whose keys these are; entries named in `foreignKeys` stand under others.
    let format: KeyFormat
    var foreignKeys: Set<String> = []

    var testDescription: String { name }

    static let all = [python, pythonOdd, go, java, dotNet, javaScript, android, objectiveC]

    static let python = SDKDocument(
        name: "MSAL Python",
        json: #"""
            {
                "AccessToken": {
                    "uid.utid-login.example.com-accesstoken-my_client_id-contoso-s1 s2 s3": {
                        "credential_type": "AccessToken", "secret": "an access token", "home_account_id": "uid.utid",
                        "environment": "login.example.com", "client_id": "my_client_id", "target": "s1 s2 s3",
                        "realm": "contoso", "token_type": "Bearer", "cached_at": "1000", "expires_on": "4600",
                        "extended_expires_on": "4600", "refresh_on": "2800"
                    }
                },
                "RefreshToken": {
                    "uid.utid-login.example.com-refreshtoken-my_client_id--s1 s2 s3": {
                        "credential_type": "RefreshToken", "secret": "a refresh token", "home_account_id": "uid.utid",
                        "environment": "login.example.com", "client_id": "my_client_id", "target": "s1 s2 s3",
                        "last_modification_time": "1000", "family_id": "1"
                    }
                },
                "IdToken": {
                    "uid.utid-login.example.com-idtoken-my_client_id-contoso-": {
                        "credential_type": "IdToken", "secret": "h.p.s", "home_account_id": "uid.utid",
                        "environment": "login.example.com", "realm": "contoso", "client_id": "my_client_id"
                    }
                },
                "Account": {
                    "uid.utid-login.example.com-contoso": {
                        "home_account_id": "uid.utid", "environment": "login.example.com", "realm": "contoso",
                        "local_account_id": "object1234", "username": "John Doe", "authority_type": "MSSTS",
                        "account_source": "authorization_code"
                    }
                },
                "AppMetadata": {
                    "appmetadata-login.example.com-my_client_id": {
                        "client_id": "my_client_id", "environment": "login.example.com", "family_id": "1"
                    }
                }
            }
            """#,
        entries: [
            "AccessToken|uid.utid-login.example.com-accesstoken-my_client_id-contoso-s1 s2 s3|accessToken",
            "RefreshToken|uid.utid-login.example.com-refreshtoken-my_client_id--s1 s2 s3|refreshToken",
            "IdToken|uid.utid-login.example.com-idtoken-my_client_id-contoso-|idToken",
            "Account|uid.utid-login.example.com-contoso|account",
            "AppMetadata|appmetadata-login.example.com-my_client_id|appMetadata",
        ],
        format: .python
    )

    static let pythonOdd = SDKDocument(
        name: "MSAL Python: ADFS, client credentials, a key id, extra components, names beyond ASCII",
        json: #"""
            {"AccessToken": {
                "subject-fs.msidlab8.com-accesstoken-my_client_id-adfs-s1": {
                    "credential_type": "AccessToken", "secret": "adfs", "home_account_id": "subject",
                    "environment": "fs.msidlab8.com", "client_id": "my_client_id", "target": "s1", "realm": "adfs",
                    "token_type": "Bearer", "cached_at": "1000", "expires_on": "4600", "extended_expires_on": "4600"
                },
                "-login.example.com-accesstoken-my_client_id-contoso-r/.default": {
                    "credential_type": "AccessToken", "secret": "app", "home_account_id": null,
                    "environment": "login.example.com", "client_id": "my_client_id", "target": "r/.default",
                    "realm": "contoso", "token_type": "Bearer", "cached_at": "1000", "expires_on": "4600",
                    "extended_expires_on": "4600"
                },
                "uid.utid-login.example.com-accesstoken-my_client_id-contoso-ssh": {
                    "credential_type": "AccessToken", "secret": "ssh", "home_account_id": "uid.utid",
                    "environment": "login.example.com", "client_id": "my_client_id", "target": "ssh", "realm": "contoso",
                    "token_type": "ssh-cert", "key_id": "kid1", "cached_at": "1000", "expires_on": "4600",
                    "extended_expires_on": "4600"
                },
                "-login.example.com-atext-my_client_id-contoso-r/.default-sqesdoe03ype6mlhjlvqrdmluhkhuswicctrbgkusbo": {
                    "credential_type": "AccessToken", "secret": "ext", "home_account_id": null,
                    "environment": "login.example.com", "client_id": "my_client_id", "target": "r/.default",
                    "realm": "contoso", "token_type": "Bearer", "cached_at": "1000", "expires_on": "4600",
                    "ext_cache_key": "sqesdoe03ype6mlhjlvqrdmluhkhuswicctrbgkusbo"
                }
            }, "Account": {
                "subject-fs.msidlab8.com-adfs": {
                    "home_account_id": "subject", "environment": "fs.msidlab8.com", "realm": "adfs",
                    "local_account_id": "subject", "username": "\u674e\u56db@contoso.com", "authority_type": "ADFS"
                }
            }}
            """#,
        entries: [
            "AccessToken|subject-fs.msidlab8.com-accesstoken-my_client_id-adfs-s1|accessToken",
            "AccessToken|-login.example.com-accesstoken-my_client_id-contoso-r/.default|accessToken",
            "AccessToken|uid.utid-login.example.com-accesstoken-my_client_id-contoso-ssh|accessToken",
            "AccessToken|-login.example.com-atext-my_client_id-contoso-r/.default-"
                + "sqesdoe03ype6mlhjlvqrdmluhkhuswicctrbgkusbo|accessToken",
            "Account|subject-fs.msidlab8.com-adfs|account",
        ],
        format: .python
    )

    static let go = SDKDocument(
        name: "MSAL Go, with junk, an unknown section and an old key",
        json: #"""
            {"AccessToken":{"an-entry":{"foo":"bar"},
            "uid.utid-login.windows.net-accesstoken-my_client_id-contoso-s2 s1 s3":{"environment":"login.windows.net",
            "credential_type":"AccessToken","secret":"an access token","realm":"contoso","target":"s2 s1 s3",
            "client_id":"my_client_id","cached_at":"1000","home_account_id":"uid.utid","extended_expires_on":"4600",
            "expires_on":"4600","token_type":"Bearer"}},
            "AppMetadata":{"AppMetadata-login.windows.net-my_client_id":{"environment":"login.windows.net",
            "client_id":"my_client_id"}},
            "IdToken":{"uid.utid-login.windows.net-idtoken-my_client_id-contoso":{"realm":"contoso",
            "environment":"login.windows.net","credential_type":"IDToken","secret":"header.eyJv.signature",
            "client_id":"my_client_id","home_account_id":"uid.utid"}},
            "RefreshToken":{"uid.utid-login.windows.net-refreshtoken-my_client_id":{"environment":"login.windows.net",
            "credential_type":"RefreshToken","secret":"a refresh token","client_id":"my_client_id",
            "home_account_id":"uid.utid"}},
            "unknownEntity":{"field1":"1","field2":"whats"}}
            """#,
        entries: [
            "AccessToken|an-entry|opaque",
            "AccessToken|uid.utid-login.windows.net-accesstoken-my_client_id-contoso-s2 s1 s3|accessToken",
            "AppMetadata|AppMetadata-login.windows.net-my_client_id|appMetadata",
            "IdToken|uid.utid-login.windows.net-idtoken-my_client_id-contoso|idToken",
            "RefreshToken|uid.utid-login.windows.net-refreshtoken-my_client_id|refreshToken",
            "unknownEntity|field1|opaque", "unknownEntity|field2|opaque",
        ],
        format: .go,
        foreignKeys: ["AppMetadata-login.windows.net-my_client_id"]
    )

    static let java = SDKDocument(
        name: "MSAL Java, a personal account in a family",
        json: #"""
            {"AccessToken":{"oid.9188040d-6c67-4c5b-b112-36a304b66dad-login.windows.net-accesstoken-cid-common-mail.read":{
            "credential_type":"AccessToken","secret":"at","home_account_id":"oid.9188040d-6c67-4c5b-b112-36a304b66dad",
            "environment":"login.windows.net","client_id":"cid","target":"Mail.Read","realm":"common",
            "expires_on":"4600","cached_at":"1000","extended_expires_on":"0"}},
            "RefreshToken":{"oid.9188040d-6c67-4c5b-b112-36a304b66dad-login.windows.net-refreshtoken-1--":{
            "credential_type":"RefreshToken","secret":"rt","home_account_id":"oid.9188040d-6c67-4c5b-b112-36a304b66dad",
            "environment":"login.windows.net","client_id":"cid","family_id":"1"}},
            "Account":{"oid.9188040d-6c67-4c5b-b112-36a304b66dad-login.windows.net-common":{"authority_type":"MSSTS",
            "home_account_id":"oid.9188040d-6c67-4c5b-b112-36a304b66dad","environment":"login.windows.net",
            "realm":"common","local_account_id":"oid","username":"x@outlook.com","name":"X","client_info":"eyJ9"}},
            "AppMetadata":{"appmetadata-login.windows.net-cid":{"client_id":"cid","environment":"login.windows.net",
            "family_id":"1"}}}
            """#,
        entries: [
            "AccessToken|oid.9188040d-6c67-4c5b-b112-36a304b66dad-login.windows.net-accesstoken-cid-common-mail.read"
                + "|accessToken",
            "RefreshToken|oid.9188040d-6c67-4c5b-b112-36a304b66dad-login.windows.net-refreshtoken-1--|refreshToken",
            "Account|oid.9188040d-6c67-4c5b-b112-36a304b66dad-login.windows.net-common|account",
            "AppMetadata|appmetadata-login.windows.net-cid|appMetadata",
        ],
        format: .java
    )

    static let dotNet = SDKDocument(
        name: "MSAL.NET, with an account that is not folded and components as an object",
        json: #"""
            {"AccessToken":{"Uid.utid-x":{"junk":1},
            "uid.utid-login.windows.net-accesstoken_with_authscheme-cid-contoso.com-user.read-pop":{
            "home_account_id":"Uid.Utid","environment":"login.windows.net","client_info":"eyJ9","client_id":"cid",
            "secret":"at","credential_type":"AccessToken","realm":"contoso.com","target":"User.Read","cached_at":"1000",
            "expires_on":"4600","extended_expires_on":"9000","ext_expires_on":"9000","kid":"k","token_type":"pop"},
            "-login.windows.net-atext-cid-t-r-bns2ytmx5hxkh4fnfixridmezpbbayhnmuh6t4bbghi":{"client_id":"cid",
            "environment":"login.windows.net","secret":"at","credential_type":"ATExt","realm":"t","target":"r",
            "cached_at":1000,"expires_on":4600,"ext":{"key1":"value1","key2":"value2"},
            "persisted_cache_parameters":{"p":"v"}}},
            "Account":{"Uid.Utid-login.windows.net-Contoso.com":{"home_account_id":"Uid.Utid",
            "environment":"login.windows.net","client_info":"eyJ9","username":"U@c","name":"U","given_name":"G",
            "family_name":"F","local_account_id":"L","authority_type":"MSSTS","realm":"Contoso.com",
            "wam_account_ids":{"cid":"wam"}}}}
            """#,
        entries: [
            "AccessToken|Uid.utid-x|opaque",
            "AccessToken|uid.utid-login.windows.net-accesstoken_with_authscheme-cid-contoso.com-user.read-pop|accessToken",
            "AccessToken|-login.windows.net-atext-cid-t-r-bns2ytmx5hxkh4fnfixridmezpbbayhnmuh6t4bbghi|accessToken",
            "Account|Uid.Utid-login.windows.net-Contoso.com|account",
        ],
        format: .dotNet
    )

    static let javaScript = SDKDocument(
        name: "MSAL Node, one account for all tenants",
        json: #"""
            {"Account":{"uid.utid-login.windows.net-utid":{"home_account_id":"uid.utid","environment":"login.windows.net",
            "realm":"guest","local_account_id":"lid","username":"u@c","authority_type":"MSSTS","name":"U",
            "client_info":"eyJ9","last_modification_time":"1601","last_modification_app":"app",
            "tenantProfiles":["{\"tenantId\":\"utid\",\"localAccountId\":\"lid\",\"isHomeTenant\":true}"]}},
            "IdToken":{"uid.utid-login.windows.net-idtoken-cid-guest---":{"home_account_id":"uid.utid",
            "environment":"login.windows.net","credential_type":"IdToken","client_id":"cid","secret":"i","realm":"guest"}},
            "AccessToken":{"uid.utid-login.windows.net-accesstoken-cid-guest-user.read openid--":{
            "home_account_id":"uid.utid","environment":"login.windows.net","credential_type":"AccessToken",
            "client_id":"cid","secret":"a","realm":"guest","target":"User.Read openid","cached_at":"1000",
            "expires_on":"4600","extended_expires_on":"9000","token_type":"Bearer"},
            "uid.utid-login.windows.net-accesstoken_with_authscheme-cid-guest-user.read--pop":{
            "home_account_id":"uid.utid","environment":"login.windows.net",
            "credential_type":"AccessToken_With_AuthScheme","client_id":"cid","secret":"a","realm":"guest",
            "target":"User.Read","cached_at":"1000","expires_on":"4600","token_type":"pop","key_id":"k"}},
            "RefreshToken":{"uid.utid-login.windows.net-refreshtoken-cid----":{"home_account_id":"uid.utid",
            "environment":"login.windows.net","credential_type":"RefreshToken","client_id":"cid","secret":"r"}}}
            """#,
        entries: [
            "Account|uid.utid-login.windows.net-utid|account",
            "IdToken|uid.utid-login.windows.net-idtoken-cid-guest---|idToken",
            "AccessToken|uid.utid-login.windows.net-accesstoken-cid-guest-user.read openid--|accessToken",
            "AccessToken|uid.utid-login.windows.net-accesstoken_with_authscheme-cid-guest-user.read--pop"
                + "|accessTokenWithAuthScheme",
            "RefreshToken|uid.utid-login.windows.net-refreshtoken-cid----|refreshToken",
        ],
        format: .javaScript
    )

    static let android = SDKDocument(
        name: "Android's fields in a document",
        json: #"""
            {"AccessToken":{"uid.utid-login.windows.net-accesstoken_with_authscheme-cid-r-t-app-mam-pop":{
            "credential_type":"AccessToken_With_AuthScheme","secret":"a","home_account_id":"uid.utid",
            "environment":"login.windows.net","client_id":"cid","realm":"r","target":"t","cached_at":"1",
            "expires_on":"2","access_token_type":"PoP","kid":"k","application_identifier":"app",
            "mam_enrollment_identifier":"mam","authority":"https://login.windows.net/r"}},
            "Account":{"uid.utid-login.windows.net-r":{"home_account_id":"uid.utid","environment":"login.windows.net",
            "realm":"r","local_account_id":"l","username":"u","authority_type":"MSSTS","first_name":"F",
            "family_name":"N","avatar_url":"https://a"}}}
            """#,
        entries: [
            "AccessToken|uid.utid-login.windows.net-accesstoken_with_authscheme-cid-r-t-app-mam-pop"
                + "|accessTokenWithAuthScheme",
            "Account|uid.utid-login.windows.net-r|account",
        ],
        format: .android
    )

    static let objectiveC = SDKDocument(
        name: "the macOS blob's sections",
        json: #"""
            {"AccessToken_With_AuthScheme":{"uid.utid-login.windows.net-accesstoken_with_authscheme-cid-r-t-pop":{
            "credential_type":"AccessToken_With_AuthScheme","secret":"a","home_account_id":"uid.utid",
            "environment":"login.windows.net","client_id":"cid","realm":"r","target":"t","kid":"k","token_type":"Pop",
            "cached_at":"1","expires_on":"2"}},
            "AccountMetadataMap":{"authority_map-cid":{"client_id":"cid","account_metadata_map":{"uid.utid":{
            "client_id":"cid","home_account_id":"uid.utid","athority_map":{},"sign_in_state":"signed_in"}}},"odd":7},
            "IdToken":{"uid.utid-login.windows.net-v1idtoken-cid-r-":{"credential_type":"V1IdToken","secret":"i",
            "home_account_id":"uid.utid","environment":"login.windows.net","client_id":"cid","realm":"r"}},
            "RefreshToken":{"uid.utid-login.windows.net-boundrefreshtoken-cid--":{"secret":"b","bound_device_id":"d",
            "credential_type":"BoundRefreshToken","home_account_id":"uid.utid","environment":"login.windows.net",
            "client_id":"cid"},"unbound":{"secret":"b","credential_type":"BoundRefreshToken","environment":"e",
            "client_id":"cid"},
            "uid.utid-login.windows.net-primaryrefreshtoken-cid--":{"secret":"p","session_key":"k",
            "credential_type":"PrimaryRefreshToken","home_account_id":"uid.utid","environment":"login.windows.net",
            "client_id":"cid","prt_protocol_version":"3.0","external_key_type":"0"}}}
            """#,
        entries: [
            "AccessToken_With_AuthScheme|uid.utid-login.windows.net-accesstoken_with_authscheme-cid-r-t-pop"
                + "|accessTokenWithAuthScheme",
            "AccountMetadataMap|authority_map-cid|accountMetadata", "AccountMetadataMap|odd|opaque",
            "IdToken|uid.utid-login.windows.net-v1idtoken-cid-r-|v1IDToken",
            "RefreshToken|uid.utid-login.windows.net-boundrefreshtoken-cid--|boundRefreshToken",
            "RefreshToken|unbound|opaque",
            "RefreshToken|uid.utid-login.windows.net-primaryrefreshtoken-cid--|primaryRefreshToken",
        ],
        format: .objectiveC
    )
}
