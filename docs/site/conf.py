# SPDX-License-Identifier: Apache-2.0
# How Sphinx makes the site of the Markdown pages, for bin/site. The pages stay where they are, and are read as they are.
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from home import home

root = Path(__file__).resolve().parents[2]

project = "Snowflake ID"
copyright = "the maintainers of Snowflake ID, Apache License 2.0"
release = re.search(r"</artifactId>\s*<version>(.*?)</version>", (root / "pom.xml").read_text(encoding="utf-8")).group(1)

extensions = ["myst_parser"]
root_doc = "docs/README"
include_patterns = [
    "*.md",
    "docs/**.md",
    "benchmarks/*.md",
    "bin/*.md",
    "coordinator-tck/*.md",
    "examples-deployment/*.md",
    "verification/*.md",
    "verification/*/*.md",
]
exclude_patterns = ["**/target", "**/.*"]

# Headings have the anchors that they have in a browser of the repository.
myst_heading_anchors = 4
# Blocks without a language show what a terminal shows.
highlight_language = "none"
# Java with an ellipsis for what is left out is no Java to a highlighter.
suppress_warnings = ["misc.highlighting_failure"]

html_theme = "furo"
html_title = project
html_logo = html_favicon = "../images/logo.svg"
html_static_path = ["static"]
html_css_files = ["site.css"]
templates_path = ["templates"]
html_sidebars = {
    "**": [
        "sidebar/brand.html",
        "sidebar/search.html",
        "sidebar/scroll-start.html",
        "sidebar/navigation.html",
        "javadoc.html",
        "sidebar/scroll-end.html",
    ]
}
html_additional_pages = {"index": "index.html"}
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
# The index of the search is a script, which browsers load from the disk too. Excerpts would be fetched, which they refuse.
html_show_search_summary = False

# Pages that are lists of pages. What they list is the navigation: in the order of the list, by its headings.
lists = {"docs/README", "docs/decisions/README", "docs/reports/README"}


def navigation(app, name, source):
    if name not in lists:
        return
    trees = []
    for section in re.split(r"^## ", source[0], flags=re.MULTILINE):
        caption = section.partition("\n")[0]
        pages = re.findall(r"^(?:- |\d+\. |\| )\[([^]]+)\]\(([^)#:]+)\.md\)", section, flags=re.MULTILINE)
        if pages:
            lines = "\n".join(f"{title} <{page}>" for title, page in pages)
            head = f":caption: {caption}\n" if name == root_doc else ""
            trees.append(f"```{{toctree}}\n:hidden:\n{head}\n{lines}\n```\n")
    source[0] += "\n\n" + "\n".join(trees)


# Each heading of the list opens and closes by itself: the one of this page is open, on other pages the first.
def groups(tree):
    found = re.findall(r'<p class="caption"[^>]*><span class="caption-text">(.*?)</span></p>\s*(<ul.*?)(?=<p class="caption"|\Z)', tree, flags=re.DOTALL)
    here = [caption for caption, pages in found if re.search(r'class="[^"]*\bcurrent\b', pages)] or [found[0][0]]
    return "".join(
        f'<details{" open" if caption in here else ""}><summary class="caption">{caption}</summary>{pages}</details>'
        for caption, pages in found
    )


# A picture that has a narrow form shows it in a narrow window. One that has none leads to itself, to be looked at closely.
def pictures(body):
    def narrow(image):
        name = image.group(2)
        if not (root / f"docs/images/{name}-narrow.svg").exists():
            return f'<a href="{image.group(1)}{name}.svg">{image.group()}</a>'
        folder = image.group(1).replace("_images/", "docs/images/")
        return f'<picture><source media="(max-width: 40em)" srcset="{folder}{name}-narrow.svg">{image.group()}</picture>'

    return re.sub(r'<img [^>]*src="([^"]*_images/)([^"/]*)\.svg"[^>]*>', narrow, body)


def context(app, name, template, context, doctree):
    context["javadoc"] = app.tags.has("javadoc")
    # Where the name of the site leads to.
    context["master_doc"] = "index"
    context["furo_navigation_tree"] = groups(context["furo_navigation_tree"])
    context["body"] = pictures(context.get("body") or "")
    if name == "index":
        context["home"] = home()


def setup(app):
    app.connect("source-read", navigation)
    # After the theme, which makes the tree.
    app.connect("html-page-context", context, priority=900)
