// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let swiftSettings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

// What tests the trait SignIn, as an app that turns it on: a package of its own, so that the other tests are built once and
// without the network.
let package = Package(
    name: "sign-in-tests",
    dependencies: [
        .package(name: "swift-token-cache", path: "../..", traits: ["SignIn"])
    ],
    targets: [
        .testTarget(
            name: "HTTPTransportTests",
            dependencies: [
                .product(name: "TokenAcquisition", package: "swift-token-cache")
            ],
            swiftSettings: swiftSettings
        )
    ]
)
