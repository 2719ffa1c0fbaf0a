// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// An application that signs users in, as a package of its own. Outside of this repository the dependency has a URL.
let package = Package(
    name: "sign-in-example",
    products: [.executable(name: "sign-in-example", targets: ["sign-in-example"])],
    dependencies: [.package(name: "swift-token-cache", path: "../..", traits: ["SignIn"])],
    targets: [
        .executableTarget(
            name: "sign-in-example",
            dependencies: [
                .product(name: "TokenAcquisition", package: "swift-token-cache"),
                .product(name: "TokenCaching", package: "swift-token-cache"),
            ],
            path: "Sources",
            swiftSettings: [.enableUpcomingFeature("NonisolatedNonsendingByDefault"), .treatAllWarnings(as: .error)]
        )
    ]
)
