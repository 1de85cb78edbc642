"""A pseudo-terminal with a program in it.

The first line of standard input is JSON: {"words": [...], "environment": {...}, "folder": "..."}. Each further line is one
act: "interrupt" presses Ctrl-C, "close" closes the terminal. What the program prints goes to standard output; "status N"
goes to standard error when it has ended, N as a shell shows it. Ends when nobody holds the terminal any more, or, with all
of the program's process group, when standard input does.
"""

import json
import os
import pty
import select
import signal
import sys


def readline():
    line = b""
    while not line.endswith(b"\n"):
        piece = os.read(0, 1)
        if not piece:
            return None
        line += piece
    return line.decode()


def start():
    wanted = json.loads(readline())
    child, master = pty.fork()
    if child == 0:
        os.chdir(wanted["folder"])
        os.execvpe(wanted["words"][0], wanted["words"], wanted["environment"])
    return child, master


def main():
    child, master = start()
    running = True
    while running or master is not None:
        readable, _, _ = select.select([0] if master is None else [0, master], [], [], 0.05)
        if 0 in readable:
            act = readline()
            if act is None:
                os.killpg(child, signal.SIGKILL)
                return
            if act == "interrupt\n" and master is not None:
                os.write(master, b"\x03")
            if act == "close\n" and master is not None:
                os.close(master)
                master = None
                continue
        if master in readable:
            try:
                piece = os.read(master, 65536)
            except OSError:
                piece = b""
            if piece:
                os.write(1, piece)
            else:
                os.close(master)
                master = None
        if running:
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                running = False
                code = os.waitstatus_to_exitcode(status)
                os.write(2, f"status {code if code >= 0 else 128 - code}\n".encode())


main()
