"""The command line: parse, call one vertical function, render. One file a noun, loaded when named.

`root.py` finds the noun and turns failures into sentences and exit codes, `verbs.py` gives every
command its `--json`, `box.py` opens settings and database, `given.py` reads what people type,
`say.py` lays out what they read.
"""
