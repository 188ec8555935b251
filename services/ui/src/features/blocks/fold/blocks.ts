/** The blocks of a `render_blocks` call, as its tool recorded them. */

export interface Column {
  key: string;
  label: string;
}

export type Row = Readonly<Record<string, unknown>>;

export interface Field {
  name: string;
  label: string;
  type: "text" | "number" | "select" | "checkbox" | "textarea" | "date";
  options: readonly string[] | null;
  required: boolean;
  default: unknown;
}

export type FormShown = { type: "form"; fields: readonly Field[]; submitLabel: string };

/** A block that an extension adds: a component with its props, drawn in the frame of pages. */
export interface FrameShown {
  type: "frame";
  name: string;
  code: string;
  props: Readonly<Record<string, unknown>>;
}

export type Block =
  | FrameShown
  | { type: "markdown"; content: string }
  | { type: "table"; columns: readonly Column[]; data: readonly Row[] }
  | {
      type: "chart";
      chartType: "line" | "bar" | "pie" | "area";
      data: {
        labels: readonly (string | number)[];
        datasets: readonly { label: string; data: readonly (number | null)[] }[];
      };
    }
  | FormShown
  | { type: "code"; language: string; content: string }
  /** Of a file: which, and the version that it had. */
  | { type: "image"; url: string; alt: string | null; file_id?: string; version?: number }
  | { type: "alert"; variant: "info" | "warning" | "danger" | "success"; content: string }
  | { type: "json"; data: unknown };

/** What is shown: the tool checked its shape before it was recorded. */
export interface BlocksShown {
  title: string | null;
  blocks: readonly Block[];
  /** The JSON Schema of the form's data, if there is a form. */
  schema: Record<string, unknown> | null;
}

export function blocksOf(show: Readonly<Record<string, unknown>> | null): BlocksShown {
  const { title, blocks, answer_schema } = show ?? {};
  return {
    title: typeof title === "string" ? title : null,
    blocks: Array.isArray(blocks) ? (blocks as Block[]) : [],
    schema: (answer_schema as Record<string, unknown> | undefined) ?? null,
  };
}
