"""Where a C source can be mutated, and how. A mutant replaces one stretch of the text by another.

Mutated: operators, constants, conditions and whole statements inside function bodies; constants in initialisers at file
scope. Left alone: comments, strings, preprocessor lines, asserts, sizeof, attributes, types and array sizes. Where the
grammar is not known without types, a mutant that does not compile comes out, which costs little.
"""
import re
from typing import NamedTuple

from c_tokens import partners, tokens_of


class Mutant(NamedTuple):
    kind: str  # operator, constant, condition, statement
    start: int
    end: int
    replacement: str

    def apply(self, source):
        lines = source.count("\n", self.start, self.end)  # __LINE__ stays what it is
        return source[: self.start] + self.replacement + "\n" * lines + source[self.end :]


BINARY = {
    "<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"], "==": ["!="], "!=": ["=="],
    "+": ["-"], "-": ["+"], "*": ["/"], "/": ["*"], "%": ["*"],
    "&&": ["||"], "||": ["&&"],
    "&": ["|"], "|": ["&"], "^": ["|"], "<<": [">>"], ">>": ["<<"],
}  # fmt: skip
ASSIGNING = {
    "+=": ["-=", "="], "-=": ["+=", "="], "*=": ["/="], "/=": ["*="], "%=": ["*="],
    "|=": ["&=", "="], "&=": ["|="], "^=": ["|="], "<<=": [">>="], ">>=": ["<<="], "++": ["--"], "--": ["++"],
}  # fmt: skip
DROPPED_PREFIX = {"!", "~", "-"}
NOT_LOOKED_INTO = {
    "assert", "static_assert", "_Static_assert", "sizeof", "_Alignof", "alignof", "__attribute__", "_Alignas",
    "alignas",
    "offsetof", "assert_self",
}  # fmt: skip
TYPE_WORDS = {
    "struct", "union", "enum", "const", "static", "extern", "volatile", "register", "typedef", "unsigned", "signed",
    "char", "short", "int", "long", "float", "double", "void", "bool", "_Bool", "_Atomic", "auto", "_Thread_local",
}  # fmt: skip
CONTROL = {"if", "else", "for", "while", "do", "switch", "case", "default", "return", "goto", "break", "continue"}
BEFORE_OPERAND = {"return", "case", "else", "do", "goto"}


class Source:
    """A source taken apart once."""

    def __init__(self, text):
        self.text = text
        self.tokens = tokens_of(text)
        self.partner = partners(self.tokens)
        self.in_parentheses = self._in_parentheses()
        self.left_alone = self._left_alone()
        self.bodies, self.initialisers = self._scopes()

    def at(self, i):
        return self.tokens[i].text if 0 <= i < len(self.tokens) else ""

    def _in_parentheses(self):
        """Indices of tokens whose nearest bracket is not a brace: no statement starts there."""
        inside, depth = set(), []
        for i in range(len(self.tokens)):
            while depth and i >= depth[-1][1]:
                depth.pop()
            if depth and depth[-1][0] != "{":
                inside.add(i)
            if self.partner.get(i, -1) > i:
                depth.append((self.at(i), self.partner[i]))
        return inside

    def _left_alone(self):
        """Indices of tokens inside asserts, sizeof, attributes."""
        alone = set()
        for i, token in enumerate(self.tokens):
            if token.text in NOT_LOOKED_INTO and self.at(i + 1) == "(" and i + 1 in self.partner:
                alone.update(range(i, self.partner[i + 1] + 1))
        return alone

    def _scopes(self):
        """Function bodies and initialisers at file scope, as pairs of token indices."""
        bodies, initialisers, i = [], [], 0
        while i < len(self.tokens):
            if self.at(i) == "{" and i in self.partner:
                end = self.partner[i]
                if self.at(i - 1) == ")":
                    bodies.append((i, end))
                elif self.at(i - 1) == "=":
                    initialisers.append((i, end))
                i = end
            i += 1
        return bodies, initialisers

    def is_operand_end(self, i):
        """Does an operand end at token i, so that what follows is a binary operator?"""
        if i < 0:
            return False
        token = self.tokens[i]
        if token.kind in ("number", "string", "character"):
            return True
        if token.kind == "word":
            return token.text not in BEFORE_OPERAND and token.text not in TYPE_WORDS
        return token.text in (")", "]")

    def replaced(self, kind, first, last, by):
        return Mutant(kind, self.tokens[first].start, self.tokens[last].end, by)

    def between(self, first, last):
        return self.text[self.tokens[first].start : self.tokens[last].end]


def operator_mutants(source, i):
    token = source.tokens[i]
    if token.kind != "punctuation":
        return
    if token.text in ASSIGNING:
        choices = ASSIGNING[token.text]
    elif token.text in BINARY and source.is_operand_end(i - 1):
        if source.at(i + 1) in (")", ",", "*") and token.text == "*":
            return  # part of a type
        choices = BINARY[token.text]
    elif token.text in DROPPED_PREFIX:
        choices = [" "]
    else:
        return
    for choice in choices:
        yield source.replaced("operator", i, i, choice)


def neighbours(number):
    """A number as the source has it, one more and one less."""
    match = re.fullmatch(r"(\d+)([uUlL]*)", number)
    if not match or (len(match.group(1)) > 1 and number.startswith("0")):
        return [f"({number} + 1)", f"({number} - 1)"]
    value, suffix = int(match.group(1)), match.group(2)
    return [f"{v}{suffix}" for v in (value + 1, value - 1) if v >= 0]


def constant_mutants(source, i):
    token = source.tokens[i]
    if token.kind == "number":
        choices = neighbours(token.text)
    elif token.kind == "character":
        choices = [f"({token.text} + 1)"]
    elif token.text in ("true", "false"):
        choices = ["false" if token.text == "true" else "true"]
    else:
        return
    for choice in choices:
        yield source.replaced("constant", i, i, choice)


def condition(source, first, last, choices):
    """Mutants of the condition that is tokens first to last."""
    if first > last or (first == last and source.tokens[first].text in ("true", "false", "1", "0")):
        return
    text = source.between(first, last)
    for choice in choices:
        yield source.replaced("condition", first, last, choice.format(" ".join(text.split())))


def clauses_of_for(source, opening, closing):
    """The condition of for (...; condition; ...) as a pair of indices, or None."""
    i, semicolons = opening + 1, []
    while i < closing:
        if source.at(i) == ";":
            semicolons.append(i)
        elif i in source.partner and source.partner[i] > i:
            i = source.partner[i]
        i += 1
    return (semicolons[0] + 1, semicolons[1] - 1) if len(semicolons) == 2 else None


def start_of_choice(source, i, floor):
    """Where the condition before the question mark at i starts."""
    stops = {"=", ",", ";", "(", "[", "{", "}", "?", ":", "return"} | {"+=", "-=", "|=", "&="}
    i -= 1
    while i > floor:
        if i in source.partner and source.partner[i] < i:
            i = source.partner[i] - 1
            continue
        if source.at(i) in stops:
            break
        i -= 1
    return i + 1


# An endless loop is always killed, by the time limit, and costs all of that: loops are not made endless on purpose.
OF_A_CHOICE = ["!({})", "true", "false"]
OF_A_LOOP = ["!({})", "false"]


def condition_mutants(source, i, floor):
    word = source.at(i)
    if word == "?":
        yield from condition(source, start_of_choice(source, i, floor), i - 1, OF_A_CHOICE)
    if word not in ("if", "while", "for") or source.at(i + 1) != "(" or i + 1 not in source.partner:
        return
    first, last = i + 2, source.partner[i + 1] - 1
    if word == "for":
        clause = clauses_of_for(source, i + 1, last + 1)
        if clause is None:
            return
        first, last = clause
    yield from condition(source, first, last, OF_A_CHOICE if word == "if" else OF_A_LOOP)


def starts_statement(source, i):
    """Does a statement start at token i?"""
    before = source.at(i - 1)
    if i in source.in_parentheses:
        return False
    if before in (";", "{", "}", "else", "do"):
        return True
    if before == ":":
        return source.at(i - 2) == "default" or source.at(i - 3) == "case"
    if before == ")" and i - 1 in source.partner:
        return source.at(source.partner[i - 1] - 1) in ("if", "for", "while", "switch")
    return False


def end_of_statement(source, i, ceiling):
    """The semicolon that ends the expression statement at i, or None when it is something else."""
    while i < ceiling:
        text = source.at(i)
        if text == ";":
            return i
        if text in ("{", "}") or text in CONTROL:
            return None
        if text == ")" or source.tokens[i].kind == "word":
            following = source.tokens[i + 1]
            if following.kind == "word" and following.text not in ("sizeof",):
                return None  # a declaration, or a macro that heads a loop
        if text == "(" or text == "[":
            closing = source.partner.get(i)
            if closing is None:
                return None
            is_cast = text == "(" and source.at(closing + 1) not in (";", ",", ".", "->", "[", "(", "=") and \
                not source.is_operand_end(i - 1)
            i = closing
            if is_cast or source.at(closing + 1) == "{":
                i += 1
                if source.at(i) == "{":
                    i = source.partner.get(i, ceiling) + 1
                continue
            if source.at(i + 1) in ("{",) or source.tokens[i + 1].kind == "word":
                return None
        i += 1
    return None


def is_declaration(source, i):
    if source.at(i) in TYPE_WORDS:
        return True
    return source.at(i + 1) == "*" and source.tokens[i + 2].kind == "word" and source.at(i + 3) in ("=", ";", ",", "[")


def statement_mutants(source, i, ceiling):
    token = source.tokens[i]
    if not starts_statement(source, i) or i in source.left_alone:
        return
    if token.text in ("break", "continue", "return") and source.at(i + 1) == ";":
        yield source.replaced("statement", i, i, " ")
        return
    if token.kind == "word" and (token.text in CONTROL or is_declaration(source, i)):
        return
    if token.text == "(" and source.at(i + 1) == "void":
        return
    if token.kind != "word" and token.text not in ("*", "(", "++", "--"):
        return
    end = end_of_statement(source, i, ceiling)
    if end is not None and end > i:
        yield source.replaced("statement", i, end - 1, " ")


def array_sizes(source, first, last):
    """Indices of tokens in the brackets of declarations such as char text[64];"""
    inside = set()
    for i in range(first, last):
        if source.at(i) != "[" or i not in source.partner or source.tokens[i - 1].kind != "word":
            continue
        before = source.tokens[i - 2]
        is_star = before.text == "*" and not source.is_operand_end(i - 3)
        declares = before.kind == "word" and before.text not in CONTROL or is_star
        if declares and source.at(source.partner[i] + 1) in (";", "=", ",", "["):
            inside.update(range(i, source.partner[i]))
    return inside


def mutants_of(text):
    """All mutants of a source, in the order of their places."""
    source = Source(text)
    found = []
    for first, last in source.bodies:
        sizes = array_sizes(source, first, last)
        for i in range(first + 1, last):
            if i in source.left_alone or i in sizes:
                continue
            found += operator_mutants(source, i)
            found += constant_mutants(source, i)
            found += condition_mutants(source, i, first)
            found += statement_mutants(source, i, last)
    for first, last in source.initialisers:
        for i in range(first + 1, last):
            if i not in source.left_alone:
                found += constant_mutants(source, i)
    unique = {(m.start, m.end, m.replacement): m for m in found}
    return sorted(unique.values(), key=lambda m: (m.start, m.end, m.replacement))
