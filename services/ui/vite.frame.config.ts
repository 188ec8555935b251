import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

const SCRIPT = /<script type="module"[^>]*src="\.\/([^"]+)"[^>]*><\/script>/;
const STYLES = /<link rel="stylesheet"[^>]*href="\.\/([^"]+)"[^>]*>/;

/** Which one is built is said by `--mode`: pages, or diagrams. */
const documentOf = (mode: string) => (mode === "diagrams" ? "diagram-frame.html" : "page-frame.html");

/**
 * One document with everything in it. A frame without an origin sends no cookies, so it could fetch nothing behind
 * the gateway's door; and this way its policy can forbid it to fetch anything at all.
 */
function oneDocument(document: string): Plugin {
  return {
    name: "one-document",
    enforce: "post",
    generateBundle(_options, bundle) {
      const take = (name: string | undefined): string => {
        const file = name ? bundle[name] : undefined;
        if (!name || !file) throw new Error(`${document} refers to ${name}, which was not built`);
        delete bundle[name];
        return file.type === "chunk" ? file.code : String(file.source);
      };
      const page = bundle[document];
      if (page?.type !== "asset") throw new Error(`${document} was not built`);
      let html = String(page.source);
      const script = take(SCRIPT.exec(html)?.[1]);
      const sheet = STYLES.exec(html)?.[1];
      const styles = sheet ? take(sheet) : "";
      // Neither may end the element that it stands in.
      // One file has nothing to load ahead: what Vite would put in for that, it leaves out.
      const safe = script
        .replaceAll("__VITE_PRELOAD__", "void 0")
        .replaceAll("</script", "<\\/script")
        .replaceAll("<!--", "\\x3c!--");
      html = html.replace(SCRIPT, () => `<script type="module">${safe}</script>`);
      html = html.replace(STYLES, () => `<style>${styles.replaceAll("</style", "<\\/style")}</style>`);
      page.source = html;
      const left = Object.keys(bundle).filter((name) => name !== document);
      if (left.length)
        throw new Error(`${document} must be one document, but there are also ${left.join(", ")}`);
    },
  };
}

export default defineConfig(({ mode }) => ({
  base: "./",
  publicDir: false,
  plugins: [react(), oneDocument(documentOf(mode))],
  build: {
    target: "es2022",
    emptyOutDir: false,
    cssCodeSplit: false,
    assetsInlineLimit: Number.POSITIVE_INFINITY,
    modulePreload: false,
    chunkSizeWarningLimit: 5000,
    rollupOptions: { input: documentOf(mode), output: { codeSplitting: false } },
  },
}));
