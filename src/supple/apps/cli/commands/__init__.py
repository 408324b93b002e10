"""One file a command: `supple reach` is `reach.py`.

A module that serves one command has that command's name in front, such as `correct_report`.
"""
