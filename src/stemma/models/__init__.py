"""Models behind their ports: embedders now. Nothing here decides; what a vector means is decided in core."""
