"""The doors: each checks form and credential, calls the app floor, translates the answer. No store is known here."""
