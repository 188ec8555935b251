/** Reads values of which the schema says no more than that they are JSON. What has another shape is taken for empty. */

export type Members = Record<string, unknown>;

export function isMembers(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function members(value: unknown): Members {
  return isMembers(value) ? value : {};
}

export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

export function count(value: unknown): number {
  return typeof value === "number" ? value : 0;
}
