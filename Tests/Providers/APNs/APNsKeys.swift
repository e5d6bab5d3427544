/// Keys made for these tests. No service accepts them.
enum APNsKeys {
    /// A key in the form in which Apple issues it: PKCS #8, P-256.
    static let main = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg2wkS3MYTavkNGkQA
        /Gj86WpqWtii2kj+pvf4ks3XvgmhRANCAARGXyZV+rf1uX0yZc0H6jBseH72dmQL
        1TQFGPGG4DKcy4O3nYCfxLCEnDmmPdiGJGnoqbSz57HhpE7PthhnSD3a
        -----END PRIVATE KEY-----
        """

    /// The public half of ``main`` as openssl writes it: an uncompressed point.
    static let point = """
        04465f2655fab7f5b97d3265cd07ea306c787ef676640bd5340518f186e0329ccb\
        83b79d809fc4b0849c39a63dd8862469e8a9b4b3e7b1e1a44ecfb61867483dda
        """

    /// The key of another team.
    static let other = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgsWe8Gbp9XajyN4FP
        95O0/AAbKFIVelGj39VPmpo2vqmhRANCAASxLTbfu9sJlcE4k9yOPx6IX6eAu9h3
        y5Pyn8FXOmnW7dmS8bUOj2D4/6Sdbei1G27kFMrH3HfbfRhvAayDAvjY
        -----END PRIVATE KEY-----
        """

    /// A key on another curve.
    static let p384 = """
        -----BEGIN PRIVATE KEY-----
        MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDDyuSXuxTzGOQOrnz07
        czovPbMtofkUUOK0oxC33GhEx68H21CYZzUmkA2ba+eNhR6hZANiAAQSbcqyfFN9
        CToqsbKxUr/6/XGS3MUB4Bvr1RTlQWPFrmsJafmmhR+dgEE1vFcIEEJFVyXH+soR
        BeHvPDiFw9e2Ac8mzv1yCOVondvETI3zTztd3I0XzTdzkAcHlBeEy3E=
        -----END PRIVATE KEY-----
        """
}
