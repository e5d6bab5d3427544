extension ReasonCode {
    /// The next step for a delivery on a channel. Differs from ``whatToDo`` if that text speaks of another kind of endpoint: an address of a
    /// webhook and a subscription of a browser are no devices of an app.
    public func whatToDo(on channel: Channel) -> String {
        switch (self, channel) {
        case (.endpointGone, .webhook):
            "Set the person's new address: `tidings recipient set <id> --webhook <address>`. See why: `tidings address list <id>`."
        case (.noAddress, .webhook): "Set the person's address: `tidings recipient set <id> --webhook <address>`."
        case (.redirectRefused, .webhook):
            "Set the target of the redirect as the person's address: `tidings recipient set <id> --webhook <address>`."
        case (.endpointGone, .webPush): "Nothing. The web app subscribes the browser again when the person visits it."
        case (.noAddress, .webPush): "Let the web app subscribe the browser and register the subscription."
        case (.permissionDenied, .webPush): "Nothing. The person can allow notifications in the settings of the browser."
        case (.tokenMalformed, .webPush): "Let the web app subscribe the browser again and register the new subscription."
        case (.noAddress, .email), (.noAddress, .sms):
            "Set the person's address: `tidings address set <id> \(channel.rawValue) <address>`."
        case (.endpointGone, .email), (.endpointGone, .sms):
            "Correct the person's address, or lift the suppression. See why: `tidings address list <id>`."
        default: whatToDo
        }
    }
}
