public import Platform

/// Why numbers cannot be the parameters of scrypt.
public enum ScryptParametersError: ExplainedError, Equatable {
    case outOfRange(log2N: Int, r: Int, p: Int)
    case tooMuch(log2N: Int, r: Int, p: Int)

    public var problem: String {
        switch self {
        case .outOfRange(let log2N, let r, let p): "scrypt cannot have ln=\(log2N),r=\(r),p=\(p)"
        case .tooMuch(let log2N, let r, let p): "scrypt with ln=\(log2N),r=\(r),p=\(p) needs too much memory or time"
        }
    }

    public var remedy: String {
        switch self {
        case .outOfRange: "Give ln from 1 to 20 and below 16 times r, r from 1 to 32, p from 1 to 16"
        case .tooMuch:
            "Stay within \(ScryptParameters.maximumMemory >> 20) MiB, which are 2^ln * r * 128 bytes, and within "
                + "\(ScryptParameters.maximumWork) for 2^ln * r * p; the usual choice is ln=15,r=8,p=3"
        }
    }

    public var exitCode: ExitCode { .usage }
}
