// What is wrong with a page's code, JSX or TSX: Babel's parser, which the sandbox runs as a library of its own.
import { parse } from "@babel/parser";

const at = (message, node) => ({ message, line: node.loc.start.line, column: node.loc.start.column + 1 });

const exportsDefault = (statement) =>
  statement.type === "ExportDefaultDeclaration" ||
  (statement.type === "ExportNamedDeclaration" && statement.specifiers.some(({ exported }) => (exported.name ?? exported.value) === "default"));

// The first problem, with line and column from 1; null if there is none.
export const problem = (code) => {
  let program;
  try {
    ({ program } = parse(code, { sourceType: "module", plugins: ["jsx", "typescript"] }));
  } catch (error) {
    const { line = 1, column = 0 } = error.loc ?? {};
    return { message: `${error.name}: ${error.message.replace(/ \(\d+:\d+\)$/, "")}`, line, column: column + 1 };
  }
  for (const statement of program.body) {
    const from = statement.source?.value;
    if (from !== undefined && from !== "react" && statement.importKind !== "type") {
      return at(`a page can't import ${JSON.stringify(from)}: React, its hooks and all components are there by name`, statement);
    }
  }
  if (program.body.some(exportsDefault)) return null;
  return { message: "no component is exported as the default: export default function Page() { … }", line: 1, column: 1 };
};
