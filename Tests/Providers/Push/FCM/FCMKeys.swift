/// Keys made for these tests. No service accepts them.
enum FCMKeys {
    /// A key of 2048 bits.
    static let main = """
        -----BEGIN PRIVATE KEY-----
        MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQC5itBQxWJfjzIs
        0NdvhUqtD2bJzEyPdoLxRfvdGysdVGUN+C3vMS1wIfH737rD3Vtfu0L743q5WOe1
        XL0QajapLdMt/ju3lztvLRJiRgNJuCORaxvrHnoXOQlF+EMOnX3CgtceC9FAqvli
        kCpI/SASZ44/ZruI/CwwFtcnNBGrL95+re1jjSf4LtnrYm8ojYMqEnwOfGQVIdEv
        zE2JDg9XIm/ttF+M0trhrUyujfL/cO/TZSbOo2CapXmF/TMZt9ipjM+CbIXbhCao
        AY99tYhsfd5HtHC8MapXl1//TQzoLSeNHRH+u+/oDu03zUpTIcCzD1bZ7plN73Px
        MkH0TFPVAgMBAAECggEAOPL6AKitCp6lrGrHjVPQuXCuQIdEAo7CHzM3XMTPhXeX
        cuO3maCzDSVmJESmCyNAvg/4vd6zFvvKVvjpkQXA1Emb9ZSAmNfC5ttjNqW9sZ1i
        0WoaTh7zI3iet4q9bll5tb+6Ll87MYmo9Q9B41hKRUviteQe8KtSFsqT7FUHjU6j
        05S5GCg10oo1AHmK4pCAvnlJad71/kADRLfWsrU7wDvDlGAdrYk/WRL2syNJv7rI
        UIPbwNXWPVU58be1q2I7i70bcT+FsbiTzcmjz75+f2WvWaqlu8/5+lbPi6RrcEf4
        ZW8JJNZFGFf0Vm/SRRXoeN8KX8wuSUo8cRBL/mmvywKBgQD1fgopwwL7CNaldBeR
        iDBqnhgbzBUEcH+3XOmusccN+xY7cLuKseveEEI6LEWeobCRCsZ1LgTDeP4YW1uq
        /eeYTSaiJMotfyfV/UG0IKms8tEjJxWsI9WmhSldbW9VHWQMdW42z+HHRqoEalEu
        qSxJ3SZtuFqEou2ih6c9MV7I9wKBgQDBe+BNSo48TIv2jjs9RwgIzEwh7EdeQNNV
        R3CHRvdOXJg/9zhmUS1Q0lShyfo6evO2+x3QxEcxyaAB4+hoMhyPeCDUA8q24J+r
        eOnFNuauHPDTzLVAJqOaq+2qKmztoqqawNg3Yb1+PX2Qjvhd9RtJYRsU8Bc57nuV
        DzNvHtsCkwKBgCcwbbLo/KrSaGGVPMXwtbnvbu3REHHa+6hr3qoSmzIyKQRoJKgp
        avvSIKBkvOBr82HUFIZUSFJkGDwPKX0Md1IqzsYHlXbZ26Qff8OfizaetKAl9yG5
        vruMemP9uk4eGQCcJnH9kY9cSnvV9Qu72eQYt6/AREL0N3dArIPqQ7VVAoGBALcv
        ssla+lnq22U/eqTkuJ2j170SeOurEqueLNNXhFRD5L5DMbnlx7LKwOhBU9HEkTTA
        gpUjEIj57a18e5ETSOkpAmPZhzcoauQtYZ+gAD3/FqBhI4YuTx3lA+rlqiY/qalF
        RjEBMCjyzQxt4IcMxp3t+3cSbdsiiQ0yzC68Fv1TAoGBAJs04MreRnTpk3yZwPkM
        jhMw6JH2uAmD/6vO9ENg2htTW41VnQpF1kOpnIamQMPhacyoNKkJbnYQTn6ezgi7
        By9IZA3/eUtawZuq6+y6VuJEE9IWtxlAnpEYobJYPr0THxM0Dw6GqwBZa4VOUHXn
        ljVeeyWQMm8ObEIRA+4QtCzZ
        -----END PRIVATE KEY-----
        """

    /// Another account's key of 2048 bits.
    static let other = """
        -----BEGIN PRIVATE KEY-----
        MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQCxeC4Z7WYFwKHP
        L9j+YiWj9UeljYdLo3iwj4QzowPmPfk4QZzgaxqPvAfrIcw6yVArmicc4zz4Yymb
        JJb8kOE7LWvSqqtPQhr7TA/+ik4IH/C6sXzIFQc558uySMO9TNWZ8kwjA6gdcKgc
        810/f2+BSTF9J42+LXSd/joTiMp7jZdvu3shYmI/E8/hRwrD6xNp8F5gCTYZjcw7
        llQVly23PdBINga17Xm1whbZcZ4PnLlzdT0m/wZdyqMRLtP4yXZ2C0zKpJ3jImmP
        uv+C3tSojh6p6Slc3Xcmne1G8eiZjpDrSaswxiCCbjNKBWj/wlonhAmyV9yMeJT4
        uGD6Nr7/AgMBAAECggEATa+2upnN1cnP60LeQekT4hR+kw2DwswiCmQgsnvzOog5
        fvNV6XVpEK92ZesLHFbAtf2Kjp44s+Cwt13KjHAdcEq/Tt5wFEdzSTswKzQ+2Vam
        Cguk/G8cFTCPXhF1QfoO7Q+AXbl9j7mfleDAmom99YHlXIyCg1QhnwHJSYDRZkjG
        zOWz/O8iO+W03usZXgNDjKdNQbXkzv4qy3XPwBVmZI6yMN3M9OyCdrpdL0xhY9Ww
        fpaD/PRvmZcVq1vngHcjS+xSzmEtkkKC5HHUVpDWpuO5jBYK8oh03GWjqIwlMEMS
        ZQcYUAZHRylzTE0hF2W1+zCYdBt5iMvcvQl5pZsSgQKBgQDuiPsS3LshX8NXEqit
        rWEV/BGXaGRmTtdl8l1oCgRgwyi89tFHdkBUPJ4Wgxyficg3IDe+nvVwjF2cKoca
        g+lqd7Hyvxl2199/YJnrj0n2rryEqG25fAiVcUPtCp+L1iDxGTrynqY0NhyLoaru
        +IIsglPEM0P3yfDATbqTVzCdgQKBgQC+dps03jKj9BNDf1RmMF8HC3/lJpj6ol/T
        ho1bsjjDaigMhtKcChCMzM3IqrvW8OJFQnWoXoNOC/COW/iPAkib/ZExS15beEBi
        NYwyYZ+uK8TPdpxC90ZdzbCzVhS7BJyRsHuw4ddmSnuwaeqyvbEuawQYP5DXvh1J
        /6aOpB6cfwKBgQCTlSTikrck+v79DIpYioEa/Q5VQz17HySd6spn6Gq1A4pc/8iU
        ElHSzH5zJ0O6YaECmmhjBC6PKAly6c0VVrBAMzZiHmI+6WlaggY5fDoi6hGxchQR
        QvB8pcuFCaGU/zL6eMXD/uyOOTyIF8qOeCryJuB079MJqGPQV0csijGGAQKBgBml
        rQa0eQs83a80ITBViSZQtRstVGJDpTW9o6FaYWxnCheNvCSI8muTVI6V9w9dhoqf
        BWrztyi2UOFKnzDatN5Uic2igYU9ryXKYiOSo8b3W9w385jM5WvSO94aVFZOq6qu
        oilScAf1NayuxozlIEvI21dMj/uNPTJuu4XvsbOPAoGBAM8ZDtu4+PXcvN2TKXVr
        RwrQpOIfA1AqmwAf9OEs/L7gLhvwKwKXf95yzX4yFtkFEgJ2dVjK7nFrCIIMxDza
        ujfdhFxuO318MrTIxK62TGutM36D6upjoi7MoPaQiail3qLpD+yPNPnoKJl/TdtU
        JnRsaeqJu4sXG4YtQgCXcPCy
        -----END PRIVATE KEY-----
        """

    /// A key of 1024 bits, which is too short.
    static let short = """
        -----BEGIN PRIVATE KEY-----
        MIICdwIBADANBgkqhkiG9w0BAQEFAASCAmEwggJdAgEAAoGBAMGcbN8SCjUHu1dI
        bv/woUFEA0z2Iy7NW/HiILKoK4RT2z+czEOZF7hDrVMZ6a0tJ1Pp4EJ2IFpu6aSt
        MO+IF11k5wriMg3+0DCDxNeYV8l1USVnkt1rkwYhIVl5nPVES5ZaVMWtRkdfKtLB
        4HNfI1fDaGMhyZhY7iggG3iKbT+RAgMBAAECgYEAt3mfir2zwpFzLcHMvuqwRgNI
        BXTz3nRp/41FY0kPBDXbfir/P8givFIWPLw/wAccT99A0HrVKh4VeCNQTo5vZD6G
        R3FLccQ7jYvY884AewHYo1yLtF64EVOMT8GHfZe4/xEuzmoxDuBcMZiKKxf1UCxU
        FMoPkMNdQHVCGyecumECQQD+GXidkL3Md+BoJI1+6GSe5aETN2NuW4gbKBs8/DA1
        +JGSaH/WpOx8B+Ag+QQDyquxwGXsYFz6DYf5U03yfJw1AkEAww8iwww5lbRAJmpZ
        wC9K+ZLge+Y15GaOkhCcASBKhVTxy1pbL6i6nl6AnITrynDAkr0+5WCMMM9hQ67U
        ublpbQJBAKSCXSK2GQuN+Q2zzKADWVG+nYBRdeB3BjF+z9O1+oiWu7isS0fuUuUi
        PCtczQqfZnWYeOSGpuuFYyk6k9aQcpkCQGvh+DD2lvbUndJhachgn9APSzdbqRzt
        GBdzNkVtLao2xBDbpaljYevriqiG3760w92k65+D2aW5XStJDAC4qrUCQBPQ+stn
        JBEYu3HrQG1aU+IqevkfvTKtRQ0Y3Ve0kM38rQ8v/5fz86Crn9m0LWltYaXvX0v7
        SiofOxq0DdAcP6Q=
        -----END PRIVATE KEY-----
        """

    /// A key on the curve P-256.
    static let elliptic = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgoNMIno4+ogwEbocn
        rIauiWS2CEJBpjzItewywnb15ZyhRANCAATYpi1G3yZdIRiwmYsGB8Twgi/lW5qO
        gy5cBH9keujAY9iab1KUsCBQG9gf/DST2vrpQno5hnfQhnWRn41kto3W
        -----END PRIVATE KEY-----
        """

    /// A key with a passphrase.
    static let encrypted = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIIC3TBXBgkqhkiG9w0BBQ0wSjApBgkqhkiG9w0BBQwwHAQIcbQwatwWhQQCAggA
        MAwGCCqGSIb3DQIJBQAwHQYJYIZIAWUDBAEqBBBs0Bp2EgsKhF5T0sqeUsQ3BIIC
        gEZrP+rIFWnFx9E3+XnlVvy90C9vc6QuYIwyx03TjjzJFYV3JzFJXBv36igCt6lt
        9mINoNkJfTfEba5Ltxe2qAP2H1Iy7mRapIj0ZT/+LZa5FQplv8ACQ4IB3xxN3Kwm
        uq0dlo7MkO8X/mlLG9e82iU7f1cIAKXovlgVdl8IPlPWzHcjw553v00GX+meiqzf
        eDr3raKREjcrz6/+JwrLMd/DoXlv8bA5YiZAyw1yLXPjLxqWkaB86wuTvAEUPvuF
        DeMNAZSA9neZ4G6KpjNA5S2kfktOjZOAwFUe8V8xZwcH30k7IzUrnikNHxphqCPa
        VaLta1DE7nqc/48AjYT4X/ChNJriyLTntKn4aSm1iL1MX3W6a8oYU7kmh04eulq5
        CmnaaP/RIh7TSK2B7/qLVTIlqJlXLaBmWcTpMw9NJaobQgWhaUPZgUcmTNK+XvRS
        LYdKTyCGC2UNI9kC8htJASDtM9Fh5YFWJ68TnAQfRBYUsWJW+6vt+8UFNPSjHhhC
        02a3tQJTJT++zmikG64mPzz7hma7EfQX/3Ivtb4GTaFzYen51zLudLjb92drKcMJ
        r7T4OJeiKBJH05KTwfB/4FxJrcH4b+c4j6jld52oq1iQ/67dIjW+IUvuqIU5DQIA
        Q0ZEnMFAcSbkoQHeJ4DtS0jdh3E8/yTOH9LQI+XCAOcj4WOGCnA/MxzQw3/3Ck4G
        CNIa4P22cxY4Mw261wG6G60ljchtC1VHjyn8sXyHVs63yDI++bRmyCyQon75jXPR
        yI1D2n5zydv3yU8CkTyOTjdkJjm46OZZHGWZgFb4PAqTqNzxzFSDqyinW3ppJXrc
        djw8hdX7TZ8p0VzgEpKgWFg=
        -----END ENCRYPTED PRIVATE KEY-----
        """
}
