"""The box: one process tree with Valkey, web, workers and cron, started and ended as one.

    run.py         the start, step by step, and what is said on the console
    lock.py        one box a data folder
    listening.py   the web's socket, bound before anything is started
    valkey.py      the command line of the embedded Valkey
    supervisor.py  children: start, relay what they print, notice an end, stop in order
    lifeline.py    no child outlives its parent
    prepare.py     (a child) migrate, and find out whether an account exists
    gunicorn.py    (a child's settings) the web server, also for larger sites

The supervisor stays small: whatever needs the database runs in a child.
"""
