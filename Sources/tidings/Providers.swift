import ArgumentParser
import ProviderNull
import TidingsProvider

#if Capture
    import TidingsCapture
#endif
#if Webhook
    import ProviderWebhook
#endif

/// The providers of this binary: one package trait each.
let linkedProviders: [any ProviderFactory.Type] = {
    var factories: [any ProviderFactory.Type] = [NullProviderFactory.self]
    #if Webhook
        factories.append(WebhookProviderFactory.self)
    #endif
    return factories
}()

/// Commands of optional parts.
let linkedCommands: [any ParsableCommand.Type] = {
    #if Capture
        [CaptureCommand.self]
    #else
        []
    #endif
}()
