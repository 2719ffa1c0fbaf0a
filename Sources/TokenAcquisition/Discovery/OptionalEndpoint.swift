// SPDX-License-Identifier: Apache-2.0

internal import UnifiedSchema

/// The endpoints that a server need not have, by their names in its metadata.
enum OptionalEndpoint: String, Hashable, Sendable, CaseIterable {
    case authorization = "authorization_endpoint"
    /// RFC 8628.
    case deviceAuthorization = "device_authorization_endpoint"
    /// RFC 7009.
    case revocation = "revocation_endpoint"
    /// OpenID Connect RP-Initiated Logout.
    case endSession = "end_session_endpoint"
    /// RFC 7591.
    case registration = "registration_endpoint"

    var member: UTF8Text { UTF8Text(rawValue) }
}
