/** What an editor of code is asked for and can do: the one that is heavy, and loaded when the first is shown. */

export type EditorLanguage = "javascript" | "json" | "text";

/** A place to point at, from line and column 1. */
export interface Mark {
  line: number;
  column: number;
  message: string;
}

export interface EditorOptions {
  text: string;
  language: EditorLanguage;
  label: string;
  readOnly: boolean;
  onChange: (text: string) => void;
}

export interface Editor {
  setText(text: string): void;
  /** Underline a place, from line and column 1; null: none. */
  mark(mark: Mark | null): void;
  destroy(): void;
}
