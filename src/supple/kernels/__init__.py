"""Compiled kernels: raw arrays in, raw arrays out, and nothing but Numba, NumPy and math inside."""
