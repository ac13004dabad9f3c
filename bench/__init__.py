"""Long runs and measurements. Nothing of the package imports from here."""
