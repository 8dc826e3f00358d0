"""The command line, in process and as a real one."""
