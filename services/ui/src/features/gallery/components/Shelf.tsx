import { type ReactNode, useId } from "react";

interface Props {
  title: string;
  /** When to use it. */
  use?: string;
  children: ReactNode;
}

/** One kind of thing of the gallery, under its name. */
export function Shelf({ title, use, children }: Props) {
  const id = useId();
  return (
    <section className="gallery-shelf" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {use && <p className="gallery-use">{use}</p>}
      {children}
    </section>
  );
}
