"""What may come into a prompt, and by which rule; what is left out for being said already. Pure."""
