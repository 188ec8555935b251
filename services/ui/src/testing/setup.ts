import { cleanup } from "@testing-library/react";
import { afterEach } from "vitest";
import { guardComposition } from "../lib/typing";

/** jsdom has no layout, so nothing is ever resized or scrolled into view. */
class NoObserver {
  observe() {}
  unobserve() {}
  disconnect() {}
}

/** And no width: no media query matches. */
const matchMedia = () => ({ matches: false, addEventListener() {}, removeEventListener() {} });
/** What a virtual list measures: a screen that has room for every row of a test. */
Object.defineProperty(HTMLElement.prototype, "clientHeight", {
  configurable: true,
  get(this: HTMLElement) {
    return this.classList.contains("transcript") ? 4_000 : 0;
  },
});

guardComposition(window);

// Not as stubs: a test that takes back its own would take these with them.
Object.assign(globalThis, { ResizeObserver: NoObserver, IntersectionObserver: NoObserver, matchMedia });

afterEach(() => {
  cleanup();
  sessionStorage.clear();
  localStorage.clear();
});
