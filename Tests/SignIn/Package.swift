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

let libraries: [Target.Dependency] = ["TokenAcquisition", "TokenCaching", "CacheAdministration"].map {
    .product(name: $0, package: "swift-token-cache")
}

// What tests the trait SignIn, as an app that turns it on: a package of its own, so that the other tests are built once and
// without the network.
let package = Package(
    name: "sign-in-tests",
    dependencies: [
        .package(name: "swift-token-cache", path: "../..", traits: ["SignIn"]),
        .package(name: "sign-in-example", path: "../../Examples/SignInApp"),
    ],
    targets: [
        .testTarget(
            name: "HTTPTransportTests",
            dependencies: libraries,
            swiftSettings: swiftSettings
        ),

        // What comes back through the browser, and programs of the machine that get in between.
        .testTarget(
            name: "RedirectTests",
            dependencies: libraries,
            swiftSettings: swiftSettings
        ),

        // Against an OpenID provider that others wrote, started by scripts/with-provider.
        .testTarget(
            name: "RealProviderTests",
            dependencies: libraries,
            swiftSettings: swiftSettings
        ),

        // The programs of the command line, with the trait, which the tests in Tests/Providers start, and the app of
        // Examples/sign-in. The build makes them because of this target.
        .executableTarget(
            name: "command-line",
            dependencies: ["cachetool", "cachetool-sign-in"].map { .product(name: $0, package: "swift-token-cache") }
                + [.product(name: "sign-in-example", package: "sign-in-example")],
            path: "Sources/CommandLinePrograms",
            swiftSettings: swiftSettings
        ),

        // Two applications that share sign-ins: the tests in Tests/Providers start, stop and kill them.
        .target(name: "SignInWorker", dependencies: libraries, swiftSettings: swiftSettings),
        .executableTarget(
            name: "calendar-app",
            dependencies: ["SignInWorker"],
            path: "Sources/CalendarApp",
            swiftSettings: swiftSettings
        ),
        .executableTarget(
            name: "mail-app",
            dependencies: ["SignInWorker"],
            path: "Sources/MailApp",
            swiftSettings: swiftSettings
        ),
    ]
)
