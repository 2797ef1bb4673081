/// The bytes of a field value or of another part of a head, borrowed for the length of a call.
public typealias FieldBytes = UnsafeBufferPointer<UInt8>
