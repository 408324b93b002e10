"""The operations of the language, one file per family; `table.OPERATIONS` lists all of them.

An operation is a function that compiles one use of it: it takes the syntax node and the environment,
reads the arguments, and returns the act on a shape. An operation that only needs checked values is a
function of the derivation, the shape and these values. To add one, write the function and add a line
to the table.
"""
