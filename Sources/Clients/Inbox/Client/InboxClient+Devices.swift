/// Devices and their plans of local notifications.
extension InboxClient {
    /// Registers a device. A second registration of a token returns the same device.
    public func register(_ device: DeviceRegistration) async throws(InboxError) -> Device {
        try await answer(Endpoint("POST", "api", "devices").sending(device))
    }

    /// Changes the permission, the token or the zone of a device.
    public func update(_ deviceID: String, _ change: DeviceChange) async throws(InboxError) {
        _ = try await response(Endpoint("PATCH", "api", "devices", deviceID).sending(change))
    }

    public func unregister(_ deviceID: String) async throws(InboxError) {
        _ = try await response(Endpoint("DELETE", "api", "devices", deviceID))
    }

    /// Returns the changes of a device's plan.
    ///
    /// - Parameter version: The version that the device confirmed last. Nil for the whole plan. The server sends the whole plan for a
    ///   version that it does not know any more.
    public func localPlan(device deviceID: String, since version: Int64? = nil) async throws(InboxError) -> LocalPlan {
        try await answer(
            Endpoint("GET", "api", "local-notifications").asking("deviceId", deviceID).asking("since", version.map(String.init)))
    }

    /// Confirms that the device has a version of its plan.
    public func confirmLocalPlan(device deviceID: String, version: Int64) async throws(InboxError) {
        struct Confirmation: Encodable {
            var deviceId: String
            var version: Int64
        }
        let confirmation = Confirmation(deviceId: deviceID, version: version)
        _ = try await response(Endpoint("POST", "api", "local-notifications", "ack").sending(confirmation))
    }
}
