import ArgumentParser
import TidingsProvider
import TidingsServer

#if API
    import TidingsAPI
#endif
#if APNs
    import ProviderAPNs
#endif
#if Airship
    import ProviderAirship
#endif
#if Braze
    import ProviderBraze
#endif
#if Bench
    import TidingsBench
#endif
#if Capture
    import TidingsCapture
#endif
#if Dev
    import TidingsDev
#endif
#if FCM
    import ProviderFCM
#endif
#if HTTP
    import ProviderJSONOverHTTP
#endif
#if WebPush
    import ProviderWebPush
#endif
#if Webhook
    import ProviderWebhook
#endif

/// The providers of this binary: one package trait each.
let linkedProviders: [any ProviderFactory.Type] = {
    var factories: [any ProviderFactory.Type] = [NullProviderFactory.self]
    #if APNs
        factories.append(APNsProviderFactory.self)
    #endif
    #if Airship
        factories.append(AirshipProviderFactory.self)
    #endif
    #if Braze
        factories.append(BrazeProviderFactory.self)
    #endif
    #if FCM
        factories.append(FCMProviderFactory.self)
    #endif
    #if HTTP
        factories.append(HTTPProviderFactory.self)
    #endif
    #if WebPush
        factories.append(WebPushProviderFactory.self)
    #endif
    #if Webhook
        factories.append(WebhookProviderFactory.self)
    #endif
    return factories
}()

/// The HTTP API, if it is part of this binary.
let linkedAPI: APIRoleMaker? = {
    #if API
        .standard
    #else
        nil
    #endif
}()

/// The command that stands first in the help, if it is part of this binary.
let firstCommands: [any ParsableCommand.Type] = {
    #if Dev
        [DevCommand.self]
    #else
        []
    #endif
}()

/// Commands of optional parts, after all others.
let linkedCommands: [any ParsableCommand.Type] = {
    var commands: [any ParsableCommand.Type] = []
    #if Bench
        commands.append(BenchCommand.self)
    #endif
    #if Capture
        commands.append(CaptureCommand.self)
    #endif
    return commands
}()
