enum AssociatedDomainsPlaceholder {}
