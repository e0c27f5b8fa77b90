# SPDX-License-Identifier: Apache-2.0
"""Holds the client against the vectors: prints each that it gets wrong, and then how many it got right."""
import json
import sys
import time

import client


def results(of):
    for one in of["ids"]:
        tick = client.millis(one["time"]) - client.millis(one["epoch"])
        yield one, str(client.encode(one, tick, one["worker-id"], one["sequence"])) == one["id"]
    for one in of["lines"]:
        try:
            yield one, client.pairs(one["line"]) == one["pairs"]
        except ValueError:
            yield one, one["pairs"] is None
    for one in of["records"]:
        mark, owner, expires = client.parse(one["value"])
        yield one, mark == one["mark"] and (owner if expires > time.time() * 1000 else "") == one["owner"]
    for one in of["writes"]:
        yield one, client.after_write(one["held"], one["sent"], one["seen"]) == one["then"]
    for one in of["namespaces"]:
        yield one, client.goes_on(one["held"], one["seen"]) == one["goes-on"]


with open(sys.argv[1], encoding="utf-8") as file:
    outcomes = list(results(json.load(file)))
for one, right in outcomes:
    if not right:
        print("wrong:", one)
print("right:", sum(right for _, right in outcomes))
