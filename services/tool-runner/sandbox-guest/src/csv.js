// parseCSV(text, {header, delimiter}): rows of RFC 4180; with header, an object per row.
import { define, Text } from "./intrinsics.js";

define("parseCSV", function parseCSV(input, options = {}) {
  const { header = false, delimiter = "," } = options ?? {};
  const text = Text(input).replace(/^\uFEFF/, "");
  const rows = [];
  let row = [], field = "", quoted = false, started = false;
  const endField = () => {
    row.push(field);
    field = "";
    started = false;
  };
  const endRow = () => {
    endField();
    rows.push(row);
    row = [];
  };
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (quoted) {
      if (c !== '"') field += c;
      else if (text[i + 1] === '"') {
        field += '"';
        i++;
      } else quoted = false;
    } else if (c === '"' && field === "") {
      quoted = true;
      started = true;
    } else if (c === delimiter) {
      endField();
      started = true;
    } else if (c === "\n" || c === "\r") {
      if (c === "\r" && text[i + 1] === "\n") i++;
      if (field !== "" || started || row.length) endRow();
    } else field += c;
  }
  if (field !== "" || started || row.length) endRow();
  if (!header) return rows;
  const [names = [], ...rest] = rows;
  return rest.map((values) => {
    const o = {};
    names.forEach((name, i) => Object.defineProperty(o, name, { value: values[i] ?? "", writable: true, enumerable: true, configurable: true }));
    return o;
  });
});
