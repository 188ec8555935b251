import { cleanup } from "@testing-library/react";
import { afterEach } from "vitest";

/** jsdom has no layout, so nothing is ever resized or scrolled into view. */
class NoObserver {
  observe() {}
  unobserve() {}
  disconnect() {}
}

// Not as stubs: a test that takes back its own would take these with them.
Object.assign(globalThis, { ResizeObserver: NoObserver, IntersectionObserver: NoObserver });

afterEach(() => {
  cleanup();
  sessionStorage.clear();
  localStorage.clear();
});
