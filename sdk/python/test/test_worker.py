"""Ctrl-C does not make a thread forgotten that is at work."""

import os
import signal
import threading
import unittest

from assay._worker import Worker


class Workers(unittest.TestCase):
    def test_one_that_is_waited_for_at_ctrl_c_is_at_work_until_it_ends(self):
        release = threading.Event()
        worker = Worker(release.wait)
        worker.start()
        threading.Timer(0.05, os.kill, [os.getpid(), signal.SIGINT]).start()
        with self.assertRaises(KeyboardInterrupt):
            while True:
                worker.wait(10)
        self.assertTrue(worker.is_at_work())
        release.set()
        while worker.is_at_work():
            worker.wait(10)

    def test_one_that_raises_has_ended(self):
        worker = Worker(lambda: 1 / 0)
        hook, threading.excepthook = threading.excepthook, lambda _: None
        self.addCleanup(setattr, threading, "excepthook", hook)
        worker.start()
        while worker.is_at_work():
            worker.wait(10)


if __name__ == "__main__":
    unittest.main()
