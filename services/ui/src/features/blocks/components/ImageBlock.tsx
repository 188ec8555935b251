import { ElsewhereImage } from "../../../components/markdown/ElsewhereImage";
import { Picture } from "../../../components/Picture";
import { contentHref } from "../../../lib/files";
import type { Shown } from "../../../lib/shown";
import type { Block } from "../fold/blocks";

type ImageShown = Extract<Block, { type: "image" }>;

/** A picture: of a file, in the data itself, or from elsewhere, which nobody fetches unasked. */
export function ImageBlock({ image, shown }: { image: ImageShown; shown: Shown }) {
  const { url, alt, file_id, version } = image;
  if (file_id !== undefined) return <Picture src={contentHref(file_id, version ?? null)} alt={alt} />;
  if (url.startsWith("data:image/")) return <Picture src={url} alt={alt} />;
  return <ElsewhereImage url={url} alt={alt} sessionId={shown.sessionId} />;
}
