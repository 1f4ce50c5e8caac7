"""Serves the guest's serial ports, each on a thread of its own: reads a line, gives it to the shell, whose program has the
port as input and output, and then says how that ended: a line that begins with the character EOT."""
import glob
import os
import subprocess
import threading
import time


def line(port):
    """A line without its end. Byte by byte: what follows is for the program."""
    text = b""
    while not text.endswith(b"\n"):
        byte = os.read(port, 1)
        if byte:
            text += byte
        else:  # nobody is at the other end
            text = b""
            time.sleep(0.05)
    return text[:-1]


def serve(device):
    port = os.open(device, os.O_RDWR)
    while True:
        command = line(port)
        done = subprocess.run(["dash", "-c", command], stdin=port, stdout=port, stderr=subprocess.STDOUT)
        os.write(port, b"\x04%d\n" % (done.returncode if done.returncode >= 0 else 128 - done.returncode))


threads = [threading.Thread(target=serve, args=("/dev/" + path.split("/")[-1],))
           for path in glob.glob("/sys/class/virtio-ports/*")]
for thread in threads:
    thread.start()
with open("/dev/console", "w") as console:
    print("agent: serving", len(threads), "ports", file=console)
for thread in threads:
    thread.join()
