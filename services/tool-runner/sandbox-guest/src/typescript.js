// TypeScript without its types, each line where it was: sucrase, which the sandbox runs as a library of its own.
import { transform } from "sucrase";

export const strip = (code) => transform(code, { transforms: ["typescript"], disableESTransforms: true, keepUnusedImports: true }).code;
