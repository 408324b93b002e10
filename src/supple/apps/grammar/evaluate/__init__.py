"""Evaluation: what rules do to shapes.

    values, randomness               values of the language; reproducible random numbers
    shape, material, joints, store   a shape during its rule; materials; joint records; the shape tree
    functions, operators, queries    functions, operators and context queries of expressions
    shape_attributes, texture        scope.sx, geometry.area ..; texture layers
    context, assets                  recorded neighbours; meshes, images and text files
    run, modules                     state of a derivation; rule files in use and their names
    expressions, arguments           expressions and arguments compiled to closures
    productions, derivation          rules compiled to productions; applying them
    attributes                       attributes with their annotations, for user interfaces

The operations are not known here: `derive` takes them as a table, see `supple.apps.grammar.operations`.
"""
