"""What a tool returns that made or found a picture."""

from agent_contracts.pictures import Picture
from agent_tools.tool import Result


class PictureFile(Result):
    """A file that is a picture. A model that sees is shown it, another one reads the `caption`."""

    file_id: str
    path: str
    version: int
    media_type: str
    size: int
    width: int
    height: int
    sha256: str
    caption: str

    def shown_pictures(self) -> tuple[Picture, ...]:
        """The picture itself."""
        return (Picture(self.sha256, self.media_type, self.size, self.path),)
