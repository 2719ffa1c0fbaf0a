// SPDX-License-Identifier: Apache-2.0

internal import TokenCaching

/// A request whose parameters isolate its token in the cache.
protocol IsolatedRequest {
    var isolatedParameters: [String: String] { get }
    var extraParameters: [String: String] { get }
}

extension SilentRequest: IsolatedRequest {
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
}

extension InteractiveRequest: IsolatedRequest {
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
}

extension DeviceCodeRequest: IsolatedRequest {
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
}

extension IsolatedRequest {
    /// The key of the tokens that the request is for; nil for plain tokens.
    ///
    /// - Throws: `requestRejected` for parameters that cannot isolate tokens.
    func isolation() throws(AcquisitionError) -> ExtendedCacheKey? {
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
