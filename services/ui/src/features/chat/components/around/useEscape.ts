import { useEffect } from "react";

/** Calls `action` on Escape, unless the key was meant for something that is open above the page. */
export function useEscape(active: boolean, action: () => void): void {
  useEffect(() => {
    if (!active) return;
    function onKeyDown(event: KeyboardEvent) {
      if (event.key !== "Escape" || event.defaultPrevented) return;
      if (document.querySelector(".offcanvas.show, .dropdown-menu.show, .modal.show")) return;
      action();
    }
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [active, action]);
}
