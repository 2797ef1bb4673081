"""Grades the security headers with the published scoring of Mozilla's HTTP Observatory."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from exchanges import Exchange, exchange
from findings import Part
from support.answers import Answer
from support.people import Visitor
from support.server import Server

# https://developer.mozilla.org/docs/Web/Security/Practical_implementation_guides and
# https://github.com/mdn/mdn-http-observatory: a page starts with 100 points. Bonus points count only from 90 points on.
START, BONUS_FROM = 100, 90
GRADES = (
    *((100, "A+"), (90, "A"), (85, "A-"), (80, "B+"), (70, "B"), (65, "B-"), (60, "C+"), (50, "C"), (45, "C-")),
    *((40, "D+"), (30, "D"), (25, "D-"), (0, "F")),
)
HALF_A_YEAR = 15_768_000
PRIVATE_REFERRERS = {"no-referrer", "same-origin", "strict-origin", "strict-origin-when-cross-origin"}
UNSAFE_REFERRERS = {"no-referrer-when-downgrade", "origin", "origin-when-cross-origin", "unsafe-url"}


@dataclass(frozen=True)
class Score:
    """The result of a test of a page: the points and the observed value."""

    test: str
    points: int
    reason: str


def single(answer: Answer, name: str) -> str | None:
    values = answer.values(name)
    return ", ".join(values).strip() if values else None


def directives(policy: str) -> dict[str, list[str]]:
    """Returns the directives of a Content-Security-Policy. If a name is repeated, the first directive applies."""
    parsed: dict[str, list[str]] = {}
    for directive in policy.split(";"):
        words = directive.split()
        if words:
            parsed.setdefault(words[0].lower(), [word.lower() for word in words[1:]])
    return parsed


def content_security_policy(answer: Answer) -> Score:
    policy = single(answer, "Content-Security-Policy")
    if policy is None:
        return Score("csp", -25, "not implemented")
    parsed = directives(policy)
    default = parsed.get("default-src")
    scripts, styles = parsed.get("script-src", default), parsed.get("style-src", default)
    if scripts is None or "'unsafe-inline'" in scripts or any(word in scripts for word in ("*", "https:", "data:")):
        return Score("csp", -20, "scripts may come from anywhere")
    if any(word.startswith(("http:", "ftp:")) for words in parsed.values() for word in words):
        return Score("csp", -20, "insecure scheme")
    if "'unsafe-eval'" in scripts:
        return Score("csp", -10, "unsafe-eval")
    if styles is None or "'unsafe-inline'" in styles:
        return Score("csp", 0, "unsafe-inline for styles")
    return Score("csp", 10, "default-src 'none'") if default == ["'none'"] else Score("csp", 5, "no unsafe source")


def cookies(answer: Answer) -> Score:
    worst = Score("cookies", 0, "none")
    hsts = single(answer, "Strict-Transport-Security") is not None
    for number, value in enumerate(answer.values("Set-Cookie")):
        pair, *attributes = (part.strip().lower() for part in value.split(";"))
        names = {attribute.partition("=")[0] for attribute in attributes}
        name = pair.partition("=")[0]
        session = re.search("login|sess|token|auth", name) is not None
        if "secure" not in names:
            score = Score(
                "cookies", (-10 if hsts else -40) if session else (-5 if hsts else -20), f"{name}: not Secure"
            )
        elif session and "httponly" not in names:
            score = Score("cookies", -30, f"{name}: session without HttpOnly")
        elif "samesite" in names:
            score = Score("cookies", 5, "Secure, HttpOnly for sessions, SameSite")
        else:
            score = Score("cookies", 0, "Secure, HttpOnly for sessions")
        worst = score if number == 0 else min(worst, score, key=lambda one: one.points)
    return worst


def cross_origin_sharing(answer: Answer) -> Score:
    allowed = single(answer, "Access-Control-Allow-Origin")
    if allowed and single(answer, "Access-Control-Allow-Credentials") == "true":
        return Score("cors", -50, f"credentials for {allowed}")
    return Score("cors", 0, allowed or "not implemented")


def strict_transport(answer: Answer) -> Score:
    value = single(answer, "Strict-Transport-Security")
    if value is None:
        return Score("hsts", -20, "not implemented")
    age = re.search(r"(?i)(?:^|[;\s])max-age=\"?(\d+)\"?(?:[;\s]|$)", value)
    if not age:
        return Score("hsts", -20, f"invalid: {value}")
    return Score("hsts", 0 if int(age[1]) >= HALF_A_YEAR else -10, value)


def referrer_policy(answer: Answer) -> Score:
    value = single(answer, "Referrer-Policy")
    if value is None:
        return Score("referrer-policy", 0, "not implemented")
    last = value.lower().split(",")[-1].strip()
    if last in PRIVATE_REFERRERS:
        return Score("referrer-policy", 5, last)
    return Score("referrer-policy", -5, f"{'unsafe' if last in UNSAFE_REFERRERS else 'invalid'}: {last}")


def content_type_options(answer: Answer) -> Score:
    value = single(answer, "X-Content-Type-Options")
    return Score("x-content-type-options", 0 if value and value.lower() == "nosniff" else -5, value or "missing")


def framing(answer: Answer) -> Score:
    ancestors = directives(single(answer, "Content-Security-Policy") or "").get("frame-ancestors")
    if ancestors is not None and "*" not in ancestors:
        return Score("x-frame-options", 5, "frame-ancestors in the CSP")
    value = (single(answer, "X-Frame-Options") or "").lower()
    return Score("x-frame-options", 5 if value in ("deny", "sameorigin") else -20, value or "not implemented")


def resource_policy(answer: Answer) -> Score:
    value = single(answer, "Cross-Origin-Resource-Policy")
    return Score("corp", 10 if value in ("same-origin", "same-site") else 0, value or "not implemented")


def subresources(answer: Answer) -> Score:
    outside = re.findall(rb"(?i)<script[^>]+src=[\"']?(?:https?:)?//", answer.content)
    return Score("sri", -5 if outside else 0, f"{len(outside)} scripts of other origins")


TESTS = (
    content_security_policy,
    cookies,
    cross_origin_sharing,
    strict_transport,
    referrer_policy,
    content_type_options,
    framing,
    resource_policy,
    subresources,
)


def scores(answer: Answer, redirection: Score) -> list[Score]:
    return [test(answer) for test in TESTS] + [redirection]


def grade(parts: list[Score]) -> tuple[int, str]:
    """Returns the points and the grade. Bonus points count if the penalties leave at least 90 points."""
    points = START + sum(score.points for score in parts if score.points < 0)
    if points >= BONUS_FROM:
        points += sum(score.points for score in parts if score.points > 0)
    points = max(0, points)
    return points, next(letter for least, letter in GRADES if points >= least)


def redirected(server: Server) -> Score:
    """Tests that the plain port redirects a page to the same host over HTTPS."""
    answer = last(exchange(server, "GET", "/signin", plain=True)).answer
    location = single(answer, "Location") or ""
    if answer.status not in (301, 302, 303, 307, 308):
        return Score("redirection", -20, f"no redirect: {answer.status}")
    secure = location.startswith("https://")
    return Score("redirection", 0 if secure else -20, location)


def last(exchanges: Iterator[Exchange]) -> Exchange:
    return list(exchanges)[-1]


def pages(server: Server) -> Iterator[tuple[str, Answer]]:
    """Yields the HTML pages that a visitor can receive, including error pages."""
    with Visitor(server) as visitor:
        for path in ("/", "/signup", "/signin", "/docs", "/check", "/check/codes", "/nothing"):
            yield path, visitor.get(path)
        yield "/signup (sent)", visitor.sign_up("graded")
        for path in ("/", "/update", "/account/delete"):
            yield f"{path} (signed in)", visitor.get(path)


def security_headers(server: Server, folder: Path) -> Part:
    """Grades every page. A page below A+, and every penalty, is a finding."""
    part = Part("header grade", "HTTP Observatory scoring")
    redirection = redirected(server)
    lines, worst, count = [], (1000, ""), 0
    for path, answer in pages(server):
        parts = scores(answer, redirection)
        points, letter = grade(parts)
        worst = min(worst, (points, letter))
        count += 1
        lines.append(f"{path}: {letter} ({points})")
        lines += [f"    {score.points:+4} {score.test}: {score.reason}" for score in parts]
        for score in parts:
            if score.points < 0:
                part.add(path, f"{score.points} {score.test}: {score.reason}")
        if letter != "A+":
            part.add(path, f"grade {letter} ({points} points)")
    (folder / "headers.txt").write_text("\n".join(lines) + "\n")
    part.ran += f", {count} pages"
    part.note = f"worst page {worst[1]} ({worst[0]})"
    return part
