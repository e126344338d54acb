"""Puts the page together: template, style, scripts, examples and the deciders become one HTML file.

    python3 web/assemble.py HOUSE DECIDERS.js OUT.html
"""
import json
import pathlib
import re
import sys

house, deciders, out = map(pathlib.Path, sys.argv[1:])
web = house / "web"


def read(path):
    return path.read_text(encoding="utf-8")


script = "".join(read(web / name) for name in ("words.js", "drawing.js", "main.js"))
examples = {p.name: read(p) for p in sorted((house / "examples/histories").iterdir())}
script = script.replace("@EXAMPLES@", json.dumps(examples))
parts = {"STYLE": read(web / "style.css"), "SCRIPT": script, "DECIDERS": read(deciders) + read(web / "worker.js")}
for name in ("SCRIPT", "DECIDERS"):  # neither may end its element
    parts[name] = parts[name].replace("</script", "<\\/script").replace("<!--", "<\\!--")
page = re.sub(r"@([A-Z]+)@", lambda m: parts[m[1]], read(web / "page.html"))
out.write_text(page, encoding="utf-8")
