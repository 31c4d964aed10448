"""Files, journal and git, with real files, real crashes and the real `git` program."""
