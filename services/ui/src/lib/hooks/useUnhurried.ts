import { useEffect, useState } from "react";

const MOMENT_MS = 600;

/**
 * False in the first moment in which something is asked: a page can time its question, so that a click which was
 * meant for what stood there before would be the answer.
 */
export function useUnhurried(asked: unknown): boolean {
  const [settled, setSettled] = useState<unknown>(null);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(asked), MOMENT_MS);
    return () => clearTimeout(timer);
  }, [asked]);
  return settled === asked;
}
