import { useEffect, useSyncExternalStore } from "react";
import { readProblems } from "../lib/api";
import { storage, watchStorage } from "../lib/storage";

/** Says so where nothing can be stored, and what to do. */
export function FullDisk() {
  useEffect(() => watchStorage(readProblems), []);
  const problem = useSyncExternalStore(storage.subscribe, storage.get);
  if (problem === null) return null;
  return (
    <p className="old-lists" role="alert">
      {problem.replace(/\.?$/, ".")}
    </p>
  );
}
