import { useState } from "react";
import "./pictures.css";

/** A picture that is here; words stand in for one that can't be drawn. */
export function Picture({ src, alt }: { src: string; alt: string | null }) {
  const [failed, setFailed] = useState(false);
  if (failed)
    return (
      <span className="d-block text-body-secondary">This picture can't be shown{alt ? `: ${alt}` : ""}.</span>
    );
  return <img className="picture" src={src} alt={alt ?? ""} onError={() => setFailed(true)} />;
}
