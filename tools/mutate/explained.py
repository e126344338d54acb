"""Survivors that a person has looked at: explained.txt, a paragraph for each.

    file: src/format/word.c          a path, or a pattern such as src/theory/*
    code: if (count == room) {       a line of the source as it is; white space does not matter
    becomes: if (count >= room) {    the line as it was mutated, or * for every mutant of that line
    why: count never passes room

`code-like:` in the place of `code:` is a regular expression that a whole line must match, for idioms.
"""
import fnmatch
import os
import re

FIELDS = ("file", "code", "code-like", "becomes", "why")


def plain(line):
    return " ".join(line.split())


def read(path):
    entries, entry = [], {}
    if not os.path.exists(path):
        return entries
    with open(path) as f:
        for number, line in enumerate(list(f) + ["\n"], 1):
            if line.startswith("#"):
                continue
            if not line.strip():
                if entry:
                    entries.append(entry)
                entry = {}
                continue
            field, _, text = line.partition(":")
            if field not in FIELDS:
                raise SystemExit(f"{path}:{number}: no such field: {field}")
            entry[field] = plain(text)
    return entries


def says_code(entry, line):
    if "code-like" in entry:
        return re.fullmatch(entry["code-like"], line) is not None
    return entry.get("code") == line


def reason(entries, name, before, after):
    """Why the mutant that makes line `before` of a file `after` survives, or None."""
    before, after = plain(before), plain(after)
    for entry in entries:
        becomes = entry.get("becomes", "*")
        if fnmatch.fnmatch(name, entry["file"]) and says_code(entry, before) and becomes in ("*", after):
            return entry.get("why", "")
    return None


def outdated(entries, root):
    """Entries whose code is no longer in their files, or that lack a field."""
    for entry in entries:
        if "file" not in entry or "why" not in entry or not ("code" in entry or "code-like" in entry):
            yield f"incomplete: {entry}"
            continue
        if any(c in entry["file"] for c in "*?["):
            continue
        path = os.path.join(root, entry["file"])
        if not os.path.exists(path):
            yield f"no such file: {entry['file']}"
            continue
        with open(path) as f:
            if not any(says_code(entry, plain(line)) for line in f):
                yield f"{entry['file']} has no such line: {entry.get('code') or entry.get('code-like')}"
