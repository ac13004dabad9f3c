"""The clients of a server: the same methods as `Stemma` has, over HTTP. Nothing of the server is loaded for one."""
