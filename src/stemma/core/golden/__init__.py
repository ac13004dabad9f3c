"""The golden set: probes that name evidence, what a bundle did about them, figures, and what counts as worse."""
