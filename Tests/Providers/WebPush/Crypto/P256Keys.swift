/// Keys made for these tests. No service accepts them. The first five are the same key in five forms.
enum P256Keys {
    static let raw = "wX8uAtXBDc9t3XCMw_IFdSnn4kElIohAtCwDy3lbr84"
    static let point = "BGr_t2CE2zN5h38YHxpSWUJ1BExAV809cw14KufTB0cymTzk0NBQxW-vAzDUBtkKeZ_UjRzzwVBvmY1gyae40x8"

    static let pkcs8 = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgwX8uAtXBDc9t3XCM
        w/IFdSnn4kElIohAtCwDy3lbr86hRANCAARq/7dghNszeYd/GB8aUllCdQRMQFfN
        PXMNeCrn0wdHMpk85NDQUMVvrwMw1AbZCnmf1I0c88FQb5mNYMmnuNMf
        -----END PRIVATE KEY-----
        """

    /// The key as `openssl ec` writes it.
    static let sec1 = """
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEIMF/LgLVwQ3Pbd1wjMPyBXUp5+JBJSKIQLQsA8t5W6/OoAoGCCqGSM49
        AwEHoUQDQgAEav+3YITbM3mHfxgfGlJZQnUETEBXzT1zDXgq59MHRzKZPOTQ0FDF
        b68DMNQG2Qp5n9SNHPPBUG+ZjWDJp7jTHw==
        -----END EC PRIVATE KEY-----
        """

    /// The key as `openssl ecparam -genkey` writes it: the curve stands before the key, and the public half is compressed.
    static let compressed = """
        -----BEGIN EC PARAMETERS-----
        BggqhkjOPQMBBw==
        -----END EC PARAMETERS-----
        -----BEGIN EC PRIVATE KEY-----
        MFcCAQEEIMF/LgLVwQ3Pbd1wjMPyBXUp5+JBJSKIQLQsA8t5W6/OoAoGCCqGSM49
        AwEHoSQDIgADav+3YITbM3mHfxgfGlJZQnUETEBXzT1zDXgq59MHRzI=
        -----END EC PRIVATE KEY-----
        """

    /// The key with the public half of another key.
    static let mixed = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgwX8uAtXBDc9t3XCM
        w/IFdSnn4kElIohAtCwDy3lbr86hRANCAASANmrvBDDyBV2rF1gU74WKuAE3hGeW
        0NyzP1baL/n5Tv6bRheQvewtvdIC/PBSAZ/O1eNFe35/cBKbX7/KbVW1
        -----END PRIVATE KEY-----
        """

    /// The key under the passphrase `abc`.
    static let encrypted = """
        -----BEGIN EC PRIVATE KEY-----
        Proc-Type: 4,ENCRYPTED
        DEK-Info: AES-128-CBC,B3661750CBEE2C69F4BAE65937F5D5F4

        iqiuguCmX8aVpNlxONF2SKFofSo4R1mH35Oh5aRqN200qYxmYlvGwuBpyI0mzo0j
        q8hbUGIdL2RqXGkTwEjQ7Pu6e3JVxXiiDCngZCKJzP7tSMvxWxqbQHmgYcmGUZpo
        Zn7f0PL2AndFNeyyBqt1Zjab5klczIGYI8Bd+eBx7Tw=
        -----END EC PRIVATE KEY-----
        """

    static let publicOnly = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEav+3YITbM3mHfxgfGlJZQnUETEBX
        zT1zDXgq59MHRzKZPOTQ0FDFb68DMNQG2Qp5n9SNHPPBUG+ZjWDJp7jTHw==
        -----END PUBLIC KEY-----
        """

    static let p384 = """
        -----BEGIN PRIVATE KEY-----
        MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDC+ZIbxGvq0hiXD3XHA
        qSln28zzJyRnr4kLGc1VMRmxWlayfk3uwLqu19xWksQEU46hZANiAAQFa1xpqxFn
        AHmM68s3ICGzkOzZgs4DohWRl00OLmqSd6SrfdHC8p5BG7XjhW3pIB/bsAXT8h7+
        OEWfSXCaxRpu3CiGOEJiGC26A7Y7EFC9G491secfqAdNmqu7SgVua+k=
        -----END PRIVATE KEY-----
        """

    static let ed25519 = """
        -----BEGIN PRIVATE KEY-----
        MC4CAQAwBQYDK2VwBCIEIFJ4PdYCRNwwU3upIX3A9Nu3G6Ola7JGCsflwN9MNT2T
        -----END PRIVATE KEY-----
        """
}
