import { type SyntheticEvent, useState } from "react";
import { isDrawable } from "../lib/pictures";

/** `loading` until its size is known: what isn't seen isn't decoded. `refused`: it is too large, or is no picture. */
export type Loading = "loading" | "drawn" | "refused";

/** Draws a picture only once it is known how much memory that takes. */
export function useLoading(src: string | null) {
  const [found, setFound] = useState<{ src: string | null; state: Loading }>({ src, state: "loading" });
  const state = found.src === src ? found.state : "loading";
  return [
    state,
    {
      onLoad: ({ currentTarget }: SyntheticEvent<HTMLImageElement>) =>
        setFound({ src, state: isDrawable(currentTarget) ? "drawn" : "refused" }),
      onError: () => setFound({ src, state: "refused" }),
    },
  ] as const;
}
