/** Files of this computer that were chosen, pasted or dropped. */
import { pathOf } from "../../../lib/files";
import { MOST_FILES, type Picked } from "../fold/attached";

/** Those of a file input. */
export function chosen(files: FileList | readonly File[]): Picked[] {
  return Array.from(files, (file) => ({ file, path: pathOf(file) }));
}

/** Those that were dropped, of folders all that is in them. */
export async function dropped(transfer: DataTransfer): Promise<Picked[]> {
  // The list is emptied when the event is over: everything is taken out of it first.
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.() ?? null);
  const files = chosen(transfer.files);
  if (!entries.some((entry) => entry?.isDirectory)) return files;
  const picked: Picked[] = [];
  for (const entry of entries) if (entry) await collect(entry, picked);
  return picked;
}

async function collect(entry: FileSystemEntry, picked: Picked[]): Promise<void> {
  if (picked.length > MOST_FILES) return;
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) =>
      (entry as FileSystemFileEntry).file(resolve, reject),
    );
    picked.push({ file, path: entry.fullPath.replace(/^\//, "") });
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  // A reader gives some at a time, and none at the end.
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (some.length === 0) return;
    for (const one of some) await collect(one, picked);
  }
}
