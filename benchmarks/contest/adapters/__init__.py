"""Scripts that drive one solver each, run by the interpreter that has it. They do not need supple."""
