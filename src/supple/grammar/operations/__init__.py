"""The operations of the language, one file per family."""
