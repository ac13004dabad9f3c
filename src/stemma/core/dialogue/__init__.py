"""The measured retrieval recipe for what was said, step by step (design study on retrieval). Pure: no reads."""
