"""`python -m supple.cli`."""

from supple.cli import main

main()
