"""`python -m supple.cli`."""

from supple.apps.cli import main

main()
