"""How the call of a solver for a single problem ended."""

NOT_TAKEN, MISSED, MET = range(3)  # targets that are not plainly right; goals not met, and met
