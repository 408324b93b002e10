"""What stands on the core: files, characters and their motion, grammar, pictures, the page, the command line.

The core (`kernels`, `model`, `bodies`, `goals`, `problem`, `solvers`, `solve`) imports nothing from here.
"""
