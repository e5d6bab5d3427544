// swift-tools-version: 6.2
import PackageDescription

// A provider outside of Tidings' own package, and a tidings binary with it: a start to copy from. See
// Sources/Documentation.docc/Providers.md of Tidings, "Write a provider".
let package = Package(
    name: "tidings-pager",
    dependencies: [
        // With all of Tidings' own providers. If you want only some beside yours, name their traits: traits: ["Webhook"].
        .package(name: "tidings", path: "../..")
    ],
    targets: [
        .target(name: "ProviderPager", dependencies: [.product(name: "TidingsProvider", package: "tidings")]),
        .executableTarget(
            name: "tidings-pager",
            dependencies: [
                "ProviderPager", .product(name: "TidingsServer", package: "tidings"), .product(name: "TidingsDev", package: "tidings"),
            ]),
        .testTarget(
            name: "ProviderPagerTests",
            dependencies: [
                "ProviderPager", .product(name: "TidingsProvider", package: "tidings"),
                .product(name: "TidingsTestSupport", package: "tidings"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
