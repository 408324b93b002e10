"""The problem: goals and limits lowered to the numbers that kernels read."""
