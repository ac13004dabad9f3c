"""The use cases and the one operation table. A door calls these; no door is imported here."""
