// SPDX-License-Identifier: Apache-2.0

internal import TokenCaching

/// A request whose parameters isolate its token in the cache: only a request with the same ones gets it.
public protocol IsolatedRequest: Sendable {
    /// Additional parameters that isolate the token in the cache: a token that was requested with others, or without any, is
    /// never returned. They have the rules of `ExtendedCacheKey.init(requestParameters:)`, and are sent with each request.
    var isolatedParameters: [String: String] { get set }
    /// Additional parameters that do not. They cannot replace parameters of the protocol.
    var extraParameters: [String: String] { get set }
}

extension IsolatedRequest {
    /// The resource that the token is for, an absolute URI without a fragment (RFC 8707): the parameter `resource` of
    /// ``isolatedParameters``. Nil for none.
    public var resource: String? {
        get { isolatedParameters["resource"] }
        set { isolatedParameters["resource"] = newValue }
    }

    /// The audience that the token is for, at servers that have such a parameter: `audience` of ``isolatedParameters``. Nil
    /// for none.
    public var audience: String? {
        get { isolatedParameters["audience"] }
        set { isolatedParameters["audience"] = newValue }
    }

    /// The key of the tokens that the request is for; nil for plain tokens.
    ///
    /// - Throws: `requestRejected` for parameters that cannot isolate tokens.
    func isolation() throws(AcquisitionError) -> ExtendedCacheKey? {
        if isolatedParameters.isEmpty { return nil }
        do throws(TokenCacheError) {
            return try ExtendedCacheKey(requestParameters: isolatedParameters)
        } catch {
            throw AcquisitionError(.requestRejected, detail: error.detail)
        }
    }

    /// All parameters that the request adds to those of the protocol.
    var addedParameters: [String: String] {
        isolatedParameters.isEmpty ? extraParameters : extraParameters.merging(isolatedParameters) { $1 }
    }
}

extension SilentRequest: IsolatedRequest {}

extension InteractiveRequest: IsolatedRequest {}

extension DeviceCodeRequest: IsolatedRequest {}

extension ApplicationTokenRequest: IsolatedRequest {}
