"""The tests. Each folder is one kind of evidence; CONTRIBUTING says which."""
