enum CertificatesPlaceholder {}
