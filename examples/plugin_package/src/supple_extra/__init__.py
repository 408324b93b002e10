"""A solver, a goal and a format that supple finds by their names once this package is installed."""
