"""How `make docs` builds the pages: Sphinx, with the Markdown beside this file and the docstrings."""

from datetime import date

import supple

project = "supple"
author = "the supple authors"
copyright = f"{date.today().year}, {author}"  # noqa: A001 (Sphinx's name)
release = supple.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]
autodoc_default_options = {"members": True, "member-order": "bysource"}
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
autodoc_preserve_defaults = True
autodoc_class_signature = "mixed"
napoleon_numpy_docstring = False
napoleon_use_ivar = True
myst_heading_anchors = 3
suppress_warnings = ["ref.python"]  # a name that two classes share, such as skeleton
nitpicky = False

html_theme = "furo"
html_title = "supple"
html_static_path = ["_static"]
html_css_files = ["wide.css"]
html_show_sourcelink = False
html_copy_source = False
