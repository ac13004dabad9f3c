"""Models behind their ports: embedders now. Nothing here decides; what a vector or an answer means is decided in core."""
