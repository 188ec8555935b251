import { useEffect, useState } from "react";
import { dropped } from "../../api/picking";
import type { Picked } from "../../fold/attached";

/** Takes files that are dropped anywhere on the page; true while some hover over it. */
export function useDrop(onPicked: (picked: Picked[]) => void): boolean {
  const [over, setOver] = useState(false);
  useEffect(() => {
    const carriesFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
    const onOver = (event: DragEvent) => {
      if (!carriesFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const onLeave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false);
    };
    const onDrop = (event: DragEvent) => {
      setOver(false);
      if (!event.dataTransfer || !carriesFiles(event)) return;
      event.preventDefault();
      void dropped(event.dataTransfer).then(onPicked, (error: unknown) =>
        console.warn("What was dropped can't be read", error),
      );
    };
    window.addEventListener("dragover", onOver);
    window.addEventListener("dragleave", onLeave);
    window.addEventListener("drop", onDrop);
    return () => {
      window.removeEventListener("dragover", onOver);
      window.removeEventListener("dragleave", onLeave);
      window.removeEventListener("drop", onDrop);
    };
  }, [onPicked]);
  return over;
}
