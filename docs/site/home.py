# SPDX-License-Identifier: Apache-2.0
# What the home page of the site shows. All of it is taken from the pages, so that it can't say something else than they do.
import re
from html import escape
from pathlib import Path

from markdown_it import MarkdownIt
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name

root = Path(__file__).resolve().parents[2]

# In the order of the README.
RUNTIMES = {
    "Helidon": "helidon",
    "Quarkus": "quarkus",
    "Payara": "payara",
    "Open Liberty": "open-liberty",
    "Spring Boot": "spring-boot",
    "Plain Java": "plain-java",
}


def page(name):
    return (root / name).read_text(encoding="utf-8")


def found(pattern, text, flags=re.MULTILINE | re.DOTALL):
    match = re.search(pattern, text, flags)
    if match is None:
        raise ValueError(f"The home page needs what is no longer on a page: {pattern}")
    return match.group(1)


def code(language, text):
    return '<div class="highlight"><pre>' + highlight(text, get_lexer_by_name(language), HtmlFormatter(nowrap=True)) + "</pre></div>"


# Links as they are in the site, from its top; the text is on a page in `folder`.
def html(markdown, folder=""):
    shown = MarkdownIt("commonmark").render(markdown)
    return re.sub(r'href="(?!https?:)([^"#]+?)\.md', lambda link: f'href="{folder}{link.group(1)}.html', shown)


def runtimes():
    for name, file in RUNTIMES.items():
        text = page(f"docs/{file}.md")
        dependencies = [
            re.sub(r"^ {4}", "", dependency, flags=re.MULTILINE)
            for dependency in re.findall(r"^ *<dependency>.*?</dependency>$", text, flags=re.MULTILINE | re.DOTALL)
            if "org.snowflakeid" in dependency and "<scope>test" not in dependency
        ]
        # The first ones: others are for what comes later on the page.
        shown = "\n".join(dependencies[: 1 if file == "plain-java" else 2])
        yield {
            "name": name,
            "file": file,
            "dependencies": code("xml", shown),
            "program": code("java", found(r"^```java\n(.*?)^```", text)),
        }


# The last column of the table, as one row.
def comparison():
    text = page("docs/comparison.md")
    rows = found(r"^### Ids issued twice\n\n\|.*?\n\|.*?\n(.*?)\n\n", text)
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows.splitlines()]
    return {
        "row": [(cells_of[0], cells_of[-1]) for cells_of in cells],
        "caveats": [
            html(found(r"(\*\*A zero proves nothing:\*\*.*?\.) ", text), "docs/"),
            html(found(r"(\*\*Ours is not safe in \*wiped\* either\*\*.*?)\n", text), "docs/"),
        ],
    }


def home():
    readme = page("README.md")
    return {
        "sentence": escape(found(r"\A# .*?\n\n(.*?)\n\n", readme)),
        "lines": code("java", found(r"^```java\n(.*?)^```", readme)),
        "claims": [html(claim) for claim in re.findall(r"^- (\*\*.*?)$", found(r"\A(.*?)^!\[", readme), flags=re.MULTILINE)],
        "runtimes": list(runtimes()),
        "comparison": comparison(),
    }
