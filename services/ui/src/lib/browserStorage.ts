/** Text that survives a reload. Storage may be full or forbidden: then it is merely forgotten. */
export function remember(storage: Storage, key: string, value: string | null): void {
  try {
    if (value === null || value === "") storage.removeItem(key);
    else storage.setItem(key, value);
  } catch (error) {
    console.warn(`"${key}" will not survive a reload`, error);
  }
}

/** What was remembered, or an empty text. */
export function recall(storage: Storage, key: string): string {
  try {
    return storage.getItem(key) ?? "";
  } catch {
    return "";
  }
}
