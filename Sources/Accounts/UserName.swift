import GRDB
public struct UserName { public enum Fault: Error, Equatable, Sendable { case empty } }
public struct PasswordPolicy { public enum Fault: Error, Equatable, Sendable { case tooShort } }
