"""In which form the content of a page is wanted."""

from typing import Literal

PageForm = Literal["markdown", "text", "html"]
