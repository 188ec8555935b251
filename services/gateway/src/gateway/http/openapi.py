"""`python -m gateway.http.openapi` prints the OpenAPI document, without any server."""

import json
import sys

from gateway.http.api import api
from gateway.http.openapi_document import document


def main() -> None:
    """Print the document."""
    json.dump(document(api()), sys.stdout, indent=2, sort_keys=True)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
