enum TLSPlaceholder {}
