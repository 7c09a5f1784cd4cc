"""A service as many are: it asks its dependency and waits for as long as that takes.

Each line of the input is a number of requests, made at once; each line of the
output is an answer.
"""

import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import requests


def ask(url):
    began = time.monotonic()
    answer = requests.get(url)  # no timeout
    return {
        "status": answer.status_code,
        "source": answer.headers.get("Stanch-Source", ""),
        "body": answer.text,
        "seconds": time.monotonic() - began,
    }


with ThreadPoolExecutor(8) as workers:
    for line in sys.stdin:
        for answer in workers.map(ask, [sys.argv[1]] * int(line)):
            print(json.dumps(answer), flush=True)
