"""What Chromium is told at its start."""

from pathlib import Path

_NO_FEATURES = (
    # What a frame with a process of its own asks for before it is watched is judged by nobody.
    "IsolateSandboxedIframes",
    # Nothing of these is asked for, and each talks to somebody or keeps something.
    *("AimEnabled", "AutofillServerCommunication", "CertificateTransparencyComponentUpdater"),
    *("DestroyProfileOnBrowserClose", "InterestFeedContentSuggestions", "LensOverlay", "MediaRouter"),
    *("NetworkTimeServiceQuerying", "OptimizationHints", "PreconnectToSearch", "Translate"),
    # Names are the proxy's to look up, also for secure DNS and for HTTPS records.
    *("AsyncDns", "DnsOverHttpsUpgrade", "UseDnsHttpsSvcb", "EncryptedClientHello"),
    # A page is asked for as it was named.
    *("HttpsUpgrades", "HttpsFirstBalancedModeAutoEnable"),
    # What Playwright needs to know what happens.
    *("AvoidUnnecessaryBeforeUnloadCheckSync", "PaintHolding", "ThirdPartyStoragePartitioning"),
    "AvoidCorsURLLoaderRestartOnRedirect",
)

_FLAGS = (
    "--headless",
    "--remote-debugging-pipe",
    "--no-startup-window",
    # Who it talks to: the proxy, for loopback and link-local addresses too, and nobody else.
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    "--dns-prefetch-disable",
    "--disable-quic",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-background-networking",
    "--disable-client-side-phishing-detection",
    "--disable-component-update",
    "--disable-component-extensions-with-background-pages",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-field-trial-config",
    "--disable-sync",
    "--metrics-recording-only",
    "--no-pings",
    "--no-service-autorun",
    # Nobody is told of what shared workers ask for, so that it could not be judged.
    "--disable-shared-workers",
    # Sessions share the program: each site has a process of its own.
    "--site-per-process",
    "--enable-features=CDPScreenshotNewSurface",
    f"--disable-features={','.join(_NO_FEATURES)}",
    # What it keeps, and what it doesn't start.
    "--disk-cache-size=67108864",
    "--media-cache-size=16777216",
    "--disable-breakpad",
    "--disable-crash-reporter",
    "--disable-gpu",
    "--disable-setuid-sandbox",
    "--password-store=basic",
    "--use-mock-keychain",
    "--no-default-browser-check",
    "--no-first-run",
    "--mute-audio",
    # A page that nobody looks at works on, and looks the same everywhere.
    "--disable-back-forward-cache",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-hang-monitor",
    "--disable-popup-blocking",
    "--disable-prompt-on-repost",
    "--disable-renderer-backgrounding",
    "--disable-search-engine-choice-screen",
    "--allow-pre-commit-input",
    "--force-color-profile=srgb",
    "--hide-scrollbars",
    "--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4",
)


def flags(profile: Path, proxies: str, *, shared_memory: bool) -> list[str]:
    """The whole list; nothing is added to it but `--no-sandbox`, where the system has no namespaces.

    `proxies` are its way out (`Proxies.rules`). Without `shared_memory` (a small /dev/shm), pages share
    memory through files in the temporary folder.
    """
    return [
        *_FLAGS,
        *([] if shared_memory else ["--disable-dev-shm-usage"]),
        f"--proxy-server={proxies}",
        f"--user-data-dir={profile}",
    ]
