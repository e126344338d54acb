"""Tokens of a C source: what the compiler sees, without comments, preprocessor lines and white space."""
import re
from typing import NamedTuple


class Token(NamedTuple):
    kind: str  # word, number, string, character, punctuation
    text: str
    start: int  # offsets into the source
    end: int


PATTERN = re.compile(
    r"""
    (?P<skip>      //[^\n]* | /\*.*?\*/ | ^[ \t]*\#(?:[^\n\\]|\\.)* | \s+ | \\\n)
  | (?P<string>    (?:u8|[LuU])?"(?:[^"\\\n]|\\.)*")
  | (?P<character> [LuU]?'(?:[^'\\\n]|\\.)*')
  | (?P<number>    0[xX][0-9a-fA-F]+[uUlL]* | \d+\.\d*(?:[eE][+-]?\d+)?[fFlL]? | \d+[eE][+-]?\d+[fFlL]? | \d+[uUlL]*)
  | (?P<word>      [A-Za-z_]\w*)
  | (?P<punctuation> \.\.\. | <<= | >>= | -> | \+\+ | -- | << | >> | <= | >= | == | != | && | \|\| | [-+*/%&^|]= | .)
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)


def tokens_of(source):
    found = []
    for match in PATTERN.finditer(source):
        if match.lastgroup != "skip":
            found.append(Token(match.lastgroup, match.group(), match.start(), match.end()))
    return found


OPENING = {"(": ")", "[": "]", "{": "}"}


def partners(tokens):
    """For each bracket the index of its partner; brackets without one (macros) are left out."""
    partner, open_brackets = {}, []
    for i, token in enumerate(tokens):
        if token.kind != "punctuation":
            continue
        if token.text in OPENING:
            open_brackets.append(i)
        elif token.text in ")]}":
            while open_brackets and OPENING[tokens[open_brackets[-1]].text] != token.text:
                open_brackets.pop()
            if open_brackets:
                start = open_brackets.pop()
                partner[start], partner[i] = i, start
    return partner
