"""Where a long run finds the public sets, and where it keeps vectors: both outside the tree.

The names of the two variables do not begin with STEMMA_, since unknown ones of those are refused.
"""

import os
import tempfile
from pathlib import Path

from bench.proof import ROOT


def sets_folder() -> Path:
    """Give the folder that holds `scifact/`, `cranfield/`, `xquad/`: BENCH_DATA, else one beside the tree."""
    named = os.environ.get("BENCH_DATA")
    tried = [Path(named)] if named else [ROOT / "data", ROOT.parent / "data", ROOT.parent / "shared" / "data"]
    found = next((each for each in tried if (each / "scifact").is_dir()), None)
    if found is None:
        raise FileNotFoundError("no folder with the public sets; name it in BENCH_DATA")
    return found


def vector_folder() -> Path:
    """Give the folder of the vector cache: BENCH_VECTORS, else one in the folder for temporary files."""
    named = os.environ.get("BENCH_VECTORS")
    return Path(named) if named else Path(tempfile.gettempdir()) / "stemma-bench-vectors"
