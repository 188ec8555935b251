"""All stories."""

from foldline_testing.product.recorded.stories import branching, failing, talking, waiting, working
from foldline_testing.product.recorded.story import Story

STORIES: tuple[Story, ...] = (
    *talking.STORIES,
    *working.STORIES,
    *failing.STORIES,
    *branching.STORIES,
    *waiting.STORIES,
)
"""In the order in which they are recorded."""
