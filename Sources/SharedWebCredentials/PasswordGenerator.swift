public enum PasswordGenerator {}
