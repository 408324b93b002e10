"""Hypothesis draws the same examples every time; SUPPLE_EXAMPLES=1000 draws that many of each law."""

import os
import sys
from pathlib import Path

from hypothesis import HealthCheck, Phase, settings

HERE = Path(__file__).resolve().parent
if str(HERE) not in sys.path:
    sys.path.insert(0, str(HERE))

settings.register_profile(
    "laws",
    derandomize=True,
    database=None,
    deadline=None,
    print_blob=False,
    phases=(Phase.explicit, Phase.generate, Phase.shrink),
    max_examples=int(os.environ.get("SUPPLE_EXAMPLES", "12")),
    suppress_health_check=[
        HealthCheck.too_slow,
        HealthCheck.filter_too_much,
        HealthCheck.data_too_large,
        HealthCheck.large_base_example,
    ],
)
settings.load_profile("laws")
