"""Agreement between raters: Krippendorff's alpha, kappa, intraclass correlation."""
