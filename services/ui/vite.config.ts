import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

/** Where `npm run dev` finds a running gateway. */
const gateway = process.env.FOLDLINE_URL ?? "http://127.0.0.1:8420";
const proxied = { target: gateway, changeOrigin: true, headers: { origin: gateway } };

export default defineConfig({
  base: "./",
  plugins: [react()],
  build: {
    target: "es2022",
    /** No data: addresses for scripts or fonts: the content security policy allows them for images only. */
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    /** Told only when it matters: what is loaded first is bounded by `npm run first-load`. */
    chunkSizeWarningLimit: 1200,
  },
  server: { host: "127.0.0.1", proxy: { "/api": proxied, "/login": proxied, "/page-frame.html": proxied } },
  test: {
    restoreMocks: true,
    /** The machines that run this may be busy: a slow test is no failed one. */
    testTimeout: 30_000,
    projects: [
      {
        extends: true,
        test: {
          name: "pure",
          include: ["src/**/*.test.ts"],
          exclude: ["src/**/*.dom.test.ts"],
          environment: "node",
          /** What is pure leaves nothing behind for the next file. */
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: "page",
          include: ["src/**/*.test.tsx", "src/**/*.dom.test.ts"],
          environment: "jsdom",
          setupFiles: ["src/testing/setup.ts"],
          /** Making a page anew for each file takes longer than all tests; setup.ts cleans up between tests. */
          isolate: false,
        },
      },
    ],
  },
});
