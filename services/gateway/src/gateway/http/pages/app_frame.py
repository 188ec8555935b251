"""What browsers are told of an MCP server's app: the policy of pages' frames, but its own scripts run."""

LARGEST = 4 * 1024 * 1024
"""Bytes; a host keeps none that is larger."""

HEADERS = {
    "Content-Security-Policy": "; ".join(
        [
            "default-src 'none'",
            "script-src 'unsafe-inline'",
            "style-src 'unsafe-inline'",
            "img-src data: blob:",
            "media-src data: blob:",
            "font-src data:",
            "form-action 'none'",
            "base-uri 'none'",
            "frame-ancestors 'self'",
            "sandbox allow-scripts",
        ]
    ),
    "X-Frame-Options": "SAMEORIGIN",
    "X-DNS-Prefetch-Control": "off",
    "Cache-Control": "private, no-cache",
}
"""Whatever the app asks for in its `csp`: nothing may be fetched, from anywhere."""

_WITHOUT_WAYS_OUT = b"""<!doctype html><script>
for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection", "RTCIceGatherer", "RTCDataChannel"])
  Reflect.deleteProperty(window, name);
document.currentScript.remove();
</script>
"""
"""The one way to the network that no content security policy closes goes before any code of the app runs."""


def document(html: bytes) -> bytes:
    """The app's document, as it is sent: a second `<!doctype>` means nothing to browsers."""
    return _WITHOUT_WAYS_OUT + html
