/** An author's JSX or TSX made into a component. It runs here, in the frame: nothing of it touches the shell. */
import * as React from "react";
import { transform } from "sucrase";
import { SOURCE } from "./place";

const MODULES: Readonly<Record<string, unknown>> = { react: React };

/** The component that the code exports as its default. Throws what is wrong with the code. */
export function compile(
  code: string,
  injected: Readonly<Record<string, unknown>>,
): React.ComponentType<Record<string, unknown>> {
  const { code: script } = transform(code, {
    transforms: ["jsx", "typescript", "imports"],
    jsxRuntime: "classic",
    production: true,
    filePath: SOURCE,
  });
  const names = Object.keys(injected);
  // A function within the one that has the names: so the author may give any of them another meaning.
  // All of it stands before the author's first line, on one line: thrown.ts counts on that.
  const make = new Function(
    ...names,
    "require",
    "exports",
    "module",
    `return (function () {${script}\n})();\n//# sourceURL=${SOURCE}`,
  );
  const module = { exports: {} as { default?: unknown } };
  make(...Object.values(injected), required, module.exports, module);
  const made = module.exports.default;
  if (typeof made !== "function" && !isElementType(made)) {
    throw new Error("The code must export its component: export default function Page() { … }");
  }
  return made as React.ComponentType<Record<string, unknown>>;
}

function required(name: string): unknown {
  if (Object.hasOwn(MODULES, name)) return MODULES[name];
  throw new Error(
    `A page can't import ${JSON.stringify(name)}. React, its hooks and all components are available by name.`,
  );
}

/** What memo and forwardRef make. */
function isElementType(made: unknown): boolean {
  return typeof made === "object" && made !== null && "$$typeof" in made && !React.isValidElement(made);
}
