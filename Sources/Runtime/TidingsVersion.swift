/// The version of this binary.
public enum TidingsVersion {
    public static let current = "0.1.0"
}
