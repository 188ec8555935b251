import { cleanup } from "@testing-library/react";
import { afterEach, vi } from "vitest";

/** jsdom has no layout, so nothing is ever resized or scrolled into view. */
class NoObserver {
  observe() {}
  unobserve() {}
  disconnect() {}
}

vi.stubGlobal("ResizeObserver", NoObserver);
vi.stubGlobal("IntersectionObserver", NoObserver);

afterEach(() => {
  cleanup();
  sessionStorage.clear();
  localStorage.clear();
});
