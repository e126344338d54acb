#!/usr/bin/env python3
"""validate.py SCHEMA FILE...: is every line of JSON in the files what the schema says?

Knows the words that the schemas of this repository use, and fails on others; python3-jsonschema is asked as well where
it is installed."""
import json
import re
import sys

try:
    import jsonschema
except ImportError:
    jsonschema = None

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}


def is_type(value, name):
    if name in ("integer", "number"):
        number = isinstance(value, int) or (isinstance(value, float) and (name == "number" or value.is_integer()))
        return number and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def listed(x):
    return x if isinstance(x, list) else [x]


class Validator:
    def __init__(self, root):
        self.root = root

    def wrong(self, schema, value, at):
        """What is wrong, or None."""
        for word, says in schema.items():
            if word in ("$schema", "title", "$defs"):
                continue
            found = getattr(self, "check_" + word.strip("$"))(says, value, at, schema)
            if found:
                return found
        return None

    def check_ref(self, says, value, at, _):
        return self.wrong(self.root["$defs"][says.rsplit("/", 1)[1]], value, at)

    def check_type(self, says, value, at, _):
        return None if any(is_type(value, t) for t in listed(says)) else "%s is no %s" % (at, says)

    def check_enum(self, says, value, at, _):
        return None if any(value == x and type(value) is type(x) for x in says) else "%s is none of %s" % (at, says)

    def check_const(self, says, value, at, _):
        return None if value == says else "%s is not %r" % (at, says)

    def check_minimum(self, says, value, at, _):
        return "%s is below %s" % (at, says) if is_type(value, "number") and value < says else None

    def check_pattern(self, says, value, at, _):
        return "%s does not match %s" % (at, says) if isinstance(value, str) and not re.search(says, value) else None

    def check_required(self, says, value, at, _):
        missing = [name for name in says if isinstance(value, dict) and name not in value]
        return "%s lacks %s" % (at, missing) if missing else None

    def check_properties(self, says, value, at, _):
        for name in says:
            found = isinstance(value, dict) and name in value and self.wrong(says[name], value[name], at + "." + name)
            if found:
                return found
        return None

    def check_additionalProperties(self, says, value, at, schema):
        others = [n for n in value if n not in schema.get("properties", {})] if isinstance(value, dict) else []
        if says is False:
            return "%s has %s, which the schema does not know" % (at, others) if others else None
        for name in others if isinstance(says, dict) else []:
            found = self.wrong(says, value[name], at + "." + name)
            if found:
                return found
        return None

    def check_items(self, says, value, at, _):
        for i, item in enumerate(value if isinstance(value, list) else []):
            found = self.wrong(says, item, "%s[%d]" % (at, i))
            if found:
                return found
        return None

    def check_anyOf(self, says, value, at, _):
        found = [self.wrong(schema, value, at) for schema in says]
        return None if None in found else "%s fits none: %s" % (at, "; ".join(found))


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        schema = json.load(file)
    validator, lines, bad = Validator(schema), 0, 0
    for path in sys.argv[2:]:
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                lines += 1
                value = json.loads(line)
                found = validator.wrong(schema, value, "$")
                if jsonschema and (not found) != jsonschema.Draft202012Validator(schema).is_valid(value):
                    found = "the two validators disagree: %s" % found
                if found:
                    bad += 1
                    print("%s:%d: %s" % (path, number, found))
    print("%d lines, %d wrong%s" % (lines, bad, "" if jsonschema else ", without python3-jsonschema"))
    sys.exit(1 if bad or not lines else 0)


main()
