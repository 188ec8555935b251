/** When the user last pressed something of the shell itself: what is done inside of a frame is not heard here. */
let last = Number.NEGATIVE_INFINITY;
const now = () => {
  last = performance.now();
};

for (const kind of ["pointerdown", "pointerup", "keydown"])
  window.addEventListener(kind, now, { capture: true });

/** In ms, as `performance.now()` counts. */
export function lastOwnGesture(): number {
  return last;
}
