"""supple itself, in a process of its own like all the others."""

from supple.bench.adapters.drive import main
from supple.bench.adapters.ours import make

main(make)
