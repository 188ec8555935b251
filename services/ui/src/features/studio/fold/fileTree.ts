/** Files as a tree of folders. */

export interface Folder<File> {
  /** Where it is, from the top; "" is the top itself. */
  path: string;
  /** Its name; folders that hold nothing but one folder stand in one line: "a/b/c". */
  name: string;
  folders: Folder<File>[];
  files: File[];
}

/** The tree of these files: folders by name, files in the order in which they come. */
export function fileTree<File extends { path: string }>(files: readonly File[]): Folder<File> {
  const top = folder<File>("", "");
  const known = new Map([["", top]]);
  for (const file of files) {
    const parts = file.path.split("/").slice(0, -1);
    let at = top;
    for (const name of parts) {
      const path = `${at.path}${name}/`;
      let below = known.get(path);
      if (!below) {
        below = folder(path, name);
        known.set(path, below);
        at.folders.push(below);
      }
      at = below;
    }
    at.files.push(file);
  }
  return { ...top, folders: inOrder(top.folders) };
}

/** How many files it and its folders hold. */
export function filesIn<File>(root: Folder<File>): number {
  let count = 0;
  for (const waiting = [root]; ; ) {
    const next = waiting.pop();
    if (!next) return count;
    count += next.files.length;
    waiting.push(...next.folders);
  }
}

/** True where a file of this path is in it, or below it. */
export const holds = ({ path }: Folder<unknown>, file: string | null): boolean =>
  file?.startsWith(path) ?? false;

function folder<File>(path: string, name: string): Folder<File> {
  return { path, name, folders: [], files: [] };
}

function inOrder<File>(folders: readonly Folder<File>[]): Folder<File>[] {
  return folders.map(joined).toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/** A folder with those below it, as far as each holds only the next, in one line. */
function joined<File>(first: Folder<File>): Folder<File> {
  let [at, name] = [first, first.name];
  for (let [only, ...more] = at.folders; only && !more.length && !at.files.length; ) {
    at = only;
    name = `${name}/${at.name}`;
    [only, ...more] = at.folders;
  }
  return { ...at, name, folders: inOrder(at.folders) };
}
