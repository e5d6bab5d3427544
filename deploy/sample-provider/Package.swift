// swift-tools-version: 6.2
import PackageDescription

// A provider outside of Tidings' own package, and a tidings binary with it: a start to copy from. See
// Sources/Documentation.docc/Providers.md of Tidings, "Write a provider".
let package = Package(
    name: "tidings-pager",
    dependencies: [
        // Of Tidings' own providers only webhooks. Name the traits of those that you want beside yours.
        .package(name: "tidings", path: "../..", traits: ["Webhook"])
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
