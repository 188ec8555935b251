import { useLoading } from "./useLoading";
import "./pictures.css";

/** A picture that is here; words stand in for one that can't be drawn. */
export function Picture({ src, alt }: { src: string; alt: string | null }) {
  const [state, events] = useLoading(src);
  if (state === "refused")
    return (
      <span className="d-block text-body-secondary">This picture can't be shown{alt ? `: ${alt}` : ""}.</span>
    );
  const unseen = state === "loading" ? "is-unseen" : "";
  return <img className={`picture ${unseen}`} src={src} alt={alt ?? ""} decoding="async" {...events} />;
}
