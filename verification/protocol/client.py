#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Issues ids in a namespace on PostgreSQL beside any other process, by docs/evidence/protocol.md alone.

It has one worker id and one thread. Where it can't go on it ends, and may be started again.
"""
import os
import random
import re
import secrets
import sys
import time
from datetime import datetime, timezone

FIRST_WINDOW = MAX_SKEW = 10_000


class Stop(Exception):
    """No id is issued any more."""


# ---- what is stored


def pairs(line):
    found = {}
    for pair in line.split(" "):
        key, equals, value = pair.partition("=")
        if not key or not equals:
            raise ValueError(f"'{pair}' is no key=value pair")
        found[key] = value
    return found


def record(mark, owner, expires):
    mark, owner = (text.replace("\\", "\\\\").replace("\n", "\\n") for text in (mark, owner))
    return f"{mark}\nexpires={expires} {owner}" if owner else mark


def parse(value):
    """The mark, the owner, and until when its entry holds."""
    first, _, second = value.partition("\n")
    expires, _, owner = second.removeprefix("expires=").partition(" ")
    mark, owner = (re.sub(r"\\(.)", lambda it: "\n" if it[1] == "n" else it[1], text) for text in (first, owner))
    return mark, owner, millis(expires) if owner else 0


def millis(instant):
    return round(datetime.fromisoformat(instant).timestamp() * 1000)


def instant(at):
    return datetime.fromtimestamp(at / 1000, timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def wall():
    return time.time_ns() // 1_000_000


# ---- what follows from an answer


def after_write(held, sent, seen):
    """What became of a write, by the marks that were known before, sent, and read after it; None: there was none."""
    if seen == sent:
        return "granted"
    if seen == held:
        return "send again"
    try:
        limit = int(pairs(held)["limit"]) if held else 0
        other = pairs(seen or "")
        return "taken over" if int(other["limit"]) >= limit and int(other["from"]) >= limit else "stop"
    except (KeyError, ValueError):
        return "stop"


def goes_on(held, seen):
    """Whether a namespace is still the one that was joined, by its records."""
    try:
        before, now = pairs(held), pairs(seen or "")
        fixed = ("id", "format", "epoch", "worker-id-bits", "sequence-bits")
        return now["state"] == "active" and all(now[key] == before[key] for key in fixed)
    except (KeyError, ValueError):
        return False


def encode(namespace, tick, worker_id, sequence):
    worker_id_bits, sequence_bits = int(namespace["worker-id-bits"]), int(namespace["sequence-bits"])
    return (tick << worker_id_bits | worker_id) << sequence_bits | sequence


# ---- the steps


class Generator:
    def __init__(self, url, table, namespace):
        import psycopg2

        self.database_error, self.connection = psycopg2.Error, None
        self.connect = lambda: psycopg2.connect(url, connect_timeout=2, options="-c statement_timeout=2000")
        self.table, self.prefix = table, namespace + "/"
        _, self.namespace, _ = self.read("meta")
        self.settings = pairs(self.namespace or "")
        if self.settings["state"] != "active" or self.settings["format"] != "1":
            raise Stop("the namespace is not in use: " + self.namespace)
        hours, minutes, seconds = re.fullmatch(r"PT(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?", self.settings["max-window"]).groups("0")
        self.window = int(hours) * 3_600_000 + int(minutes) * 60_000 + int(float(seconds) * 1000)
        self.epoch, self.bits = millis(self.settings["epoch"]), int(self.settings["sequence-bits"])
        self.position = -1
        self.claim()

    def run(self, sql, *values):
        """The rows; after any exception it is unknown whether a change was made."""
        try:
            if self.connection is None:
                self.connection = self.connect()
                self.connection.autocommit = True
            with self.connection.cursor() as cursor:
                cursor.execute(sql, values)
                return cursor.fetchall() if cursor.description else []
        except self.database_error:
            self.connection = None
            raise

    def read(self, key):
        """The record's version and value, and what time it is at the database."""
        time_there = "CAST(EXTRACT(EPOCH FROM statement_timestamp()) * 1000 AS bigint)"
        one = f"SELECT r.version, r.value, {time_there} FROM (SELECT) one LEFT JOIN {self.table} r ON r.name = %s"
        return self.run(one, self.prefix + key)[0]

    def swap(self, key, version, value, following):
        name = self.prefix + key
        if version is None:
            self.run(f"INSERT INTO {self.table} VALUES (%s, 1, %s) ON CONFLICT DO NOTHING", name, following)
        else:
            update = f"UPDATE {self.table} SET value = %s, version = version + 1"
            self.run(update + " WHERE name = %s AND version = %s AND value = %s", following, name, version, value)

    def read_mark(self):
        version, value, time_there = self.read(self.key)
        if abs(time_there - wall()) > MAX_SKEW:
            raise Stop("this clock and the database's differ: " + instant(time_there))
        return version, value, time_there

    def claim(self):
        outcome = None
        while outcome != "granted":
            self.worker_id = random.randrange(1 << int(self.settings["worker-id-bits"]))
            self.key, self.limit = f"marks/{self.worker_id}", 0
            version, value, time_there = self.read_mark()
            self.held, owner, expires = parse(value) if value else (None, "", 0)
            self.mark = pairs(self.held) if self.held else {"limit": 0}
            self.limit_found, now = int(self.mark["limit"]), wall() - self.epoch
            owned = owner and expires > time_there and self.limit_found + MAX_SKEW >= now
            if not owned and self.limit_found <= now:
                floor = int(self.settings["floor"])
                self.start = max(now, self.limit_found, floor, (self.position >> self.bits) + 1)
                self.mark.update({"token": secrets.token_hex(16), "k": -1, "from": self.start})
                outcome = self.write(self.start + min(FIRST_WINDOW, self.window), version, value)

    def extend(self):
        version, value, _ = self.read_mark()
        if self.write(max(self.limit, wall() - self.epoch + self.window), version, value) != "granted":
            self.claim()

    def write(self, limit, version, value):
        """Sends the same bytes until it is known what became of them; only then they are a grant."""
        limit = min(limit, (1 << 63 - int(self.settings["worker-id-bits"]) - self.bits) - 1)
        self.mark.update({"limit": limit, "k": int(self.mark["k"]) + 1, "at": instant(wall())})
        self.mark.update({"until": instant(self.epoch + limit), "random": secrets.token_hex(8)})
        sent = " ".join(f"{key}={each}" for key, each in self.mark.items())
        free = self.mark["token"].startswith("free-")
        owner = "" if free else f"token={self.mark['token']} host=python pid={os.getpid()} since={self.mark['at']}"
        following, end = record(sent, owner, instant(wall() + self.window)), time.monotonic() + self.window / 1000
        outcome = "send again"
        while outcome == "send again" and time.monotonic() < end:
            try:
                self.swap(self.key, version, value, following)
                # The namespace after the mark: a write counts if the namespace is in use after it.
                version, value, _ = self.read(self.key)
                _, namespace, _ = self.read("meta")
            except self.database_error:
                time.sleep(random.uniform(0.1, 0.5))
                continue
            outcome = after_write(self.held, sent, parse(value)[0] if value else None)
            if outcome == "stop" or not goes_on(self.namespace, namespace):
                raise Stop(f"{self.key} is '{value}' and meta is '{namespace}'")
        if outcome == "granted":
            self.held, self.limit = sent, limit
        return outcome

    def next_id(self):
        while True:
            now = wall() - self.epoch
            if now + self.window * 2 // 3 > self.limit:
                self.extend()
            position = max(self.position + 1, max(now, self.start) << self.bits)
            tick = position >> self.bits
            if now >= tick < self.limit:
                self.position = position
                return encode(self.settings, tick, self.worker_id, position & (1 << self.bits) - 1)
            time.sleep(0.0005)

    def close(self):
        limit, self.limit = max(self.limit_found, (self.position >> self.bits) + 1), 0
        self.mark.update({"token": "free-" + secrets.token_hex(16), "k": -1})
        version, value, _ = self.read_mark()
        self.write(limit, version, value)


if __name__ == "__main__":
    ids = Generator(*sys.argv[1:4])
    for _ in range(int(sys.argv[4])):
        print(ids.next_id(), flush=True)
        time.sleep(0.001)
    ids.close()
