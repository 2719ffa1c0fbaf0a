// swift-tools-version: 6.3

import PackageDescription

let swiftSettings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "swift-token-cache-benchmarks",
    dependencies: [
        .package(name: "swift-token-cache", path: "../")
    ],
    targets: [
        // Caches of any size, in the shape and with the sizes that Microsoft Entra ID gives.
        .target(name: "SampleAccounts", swiftSettings: swiftSettings),

        // What users do, in a form that can be repeated and measured.
        .target(
            name: "Operations",
            dependencies: ["SampleAccounts", .product(name: "TokenCaching", package: "swift-token-cache")],
            swiftSettings: swiftSettings
        ),

        // The figures that the README quotes: every promise beside its floor, in one run.
        .executableTarget(
            name: "figures",
            dependencies: [
                "Operations", "SampleAccounts",
                .product(name: "TokenCaching", package: "swift-token-cache"),
            ],
            swiftSettings: swiftSettings
        ),
    ]
)
