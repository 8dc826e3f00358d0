"""Repos, threads, comments, verdicts: the conversations that Switchboard itself keeps."""
