"""The demo: an instance of its own that shows one delivery answered, against a GitHub inside the box.

setup.py     what `app.py --demo` changes: folder, settings, the extra child
seed.py      (a child) one account, endpoint, source and connection
__main__.py  (a child) the stand-in GitHub, and the story played over HTTP
"""
