# SPDX-License-Identifier: Apache-2.0
"""Checks that an article lists every public constant that a Swift file declares.

usage: listed_names.py SOURCE ARTICLE
"""

import pathlib
import re
import sys

source, article = map(pathlib.Path, sys.argv[1:])
names = re.findall(r"^ +public static let (\w+)", source.read_text(), re.MULTILINE)
text = article.read_text()
missing = [name for name in names if f"/{name}``" not in text]
if not names or missing:
    print(f"{article} does not list {', '.join(missing) or 'anything'} of {source}", file=sys.stderr)
    sys.exit(1)
