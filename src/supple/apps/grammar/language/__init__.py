"""The language: rule files as text and syntax trees.

cga.lark, tokens, parser   the LALR(1) grammar, the pass between lexer and parser, `parse`
builder, classic           from the parse tree to syntax nodes; the classic form as modern CGA
syntax                     the syntax tree
definitions                the rules, attributes, functions, imports and styles of a file, by name
files, errors              reading rule files and imports; errors with file, line and column
"""
