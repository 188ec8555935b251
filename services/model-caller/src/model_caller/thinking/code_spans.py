"""Which places of a Markdown text are code, told as the text comes. Pure."""


class CodeSpans:
    """Follows backticks, tildes and line breaks. A run of one character may come in several pieces."""

    def __init__(self) -> None:
        self._fence: tuple[str, int] | None = None
        self._inline = 0
        self._run: tuple[str, int, bool] | None = None
        self.begins_line = True
        """Nothing but blanks stands before in this line."""

    @property
    def inside(self) -> bool:
        """Whether what follows is code, in a fence or within a line."""
        self._end_run()
        return self._fence is not None or self._inline > 0

    def run(self, mark: str) -> None:
        """Backticks or tildes."""
        if self._run is not None and self._run[0] == mark[0]:
            character, length, begins = self._run
            self._run = character, length + len(mark), begins
            return
        self._end_run()
        self._run = mark[0], len(mark), self.begins_line
        self.begins_line = False

    def line(self) -> None:
        """A line break. Code within a line that nobody closed was none."""
        self._end_run()
        self._inline = 0
        self.begins_line = True

    def other(self, text: str) -> None:
        """Any other text."""
        if text:
            self._end_run()
            self.begins_line = self.begins_line and text.isspace()

    def _end_run(self) -> None:
        if self._run is None:
            return
        (character, length, begins), self._run = self._run, None
        if self._fence is not None:
            if begins and character == self._fence[0] and length >= self._fence[1]:
                self._fence = None
        elif begins and length >= 3:
            self._fence, self._inline = (character, length), 0
        elif character == "`":
            self._inline = 0 if self._inline == length else self._inline or length
