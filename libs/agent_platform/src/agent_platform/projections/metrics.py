"""What a projection tells about itself."""

from prometheus_client import Counter, Gauge, Histogram

EVENTS = Counter("foldline_projection_events", "Events folded into the tables", ["projection"])
PROBLEMS = Counter(
    "foldline_projection_problems", "Events that could only be recorded, not projected", ["projection"]
)
COMMIT_SECONDS = Histogram(
    "foldline_projection_commit_seconds",
    "Time to write one batch",
    ["projection"],
    buckets=(0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5),
)
DELAY_SECONDS = Histogram(
    "foldline_projection_delay_seconds",
    "From an event's time to its commit, for the oldest event of each batch",
    ["projection"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 1, 5, 60),
)
LAG_EVENTS = Gauge(
    "foldline_projection_lag_events", "Events in the log that the tables don't hold yet", ["projection"]
)
LAG_SECONDS = Gauge(
    "foldline_projection_lag_seconds",
    "Age of the oldest event that the tables don't hold yet",
    ["projection"],
)
