"""The language: what a rule file says, before any rule is applied."""
