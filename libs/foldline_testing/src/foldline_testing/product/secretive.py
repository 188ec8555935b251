"""An environment that holds secrets, as a shell may have it from which Foldline is started."""

import base64

TOKEN = "a-token-of-the-gateway"
SECRETS_KEY = base64.b64encode(b"k" * 32).decode()
MODEL_KEY = "sk-the-models-key"
PROVIDER_KEY = "sk-a-providers-key"
INHERITED = {
    "FOLDLINE_TOKEN": TOKEN,
    "FOLDLINE_SECRETS_KEY": SECRETS_KEY,
    "FOLDLINE_MODEL": "openai/x",
    "FOLDLINE_MODEL_BASE_URL": "http://127.0.0.1:9/v1",
    "FOLDLINE_MODEL_API_KEY": MODEL_KEY,
    "ANTHROPIC_API_KEY": PROVIDER_KEY,
    "A_SECRET_OF_THE_SHELL": "not-for-foldline",
    "LC_TIME": "C",
}
