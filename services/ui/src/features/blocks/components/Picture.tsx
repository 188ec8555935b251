import { useState } from "react";

/** A picture that is here; words stand in for one that can't be drawn. */
export function Picture({ src, alt }: { src: string; alt: string | null }) {
  const [failed, setFailed] = useState(false);
  if (failed)
    return <p className="text-body-secondary">This picture can't be shown{alt ? `: ${alt}` : ""}.</p>;
  return <img className="block-image" src={src} alt={alt ?? ""} onError={() => setFailed(true)} />;
}
