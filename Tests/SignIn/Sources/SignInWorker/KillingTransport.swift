// SPDX-License-Identifier: Apache-2.0

import Foundation
import TokenAcquisition

/// A transport whose process is killed when the response to a renewal has arrived, before anyone sees it.
struct KillingTransport: Transport {
    let transport: any Transport

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        let response = try await transport.send(request)
        if String(decoding: request.body, as: UTF8.self).contains("grant_type=refresh_token") {
            kill(getpid(), SIGKILL)
        }
        return response
    }
}
