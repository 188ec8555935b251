import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { Icon } from "../../../../components/Icon";
import { onFindInChat } from "../../../../lib/finding";
import { messageOf } from "../../../../lib/problems";
import type { Found } from "./useFinding";

const DELAY_MS = 200;

interface Props {
  onFind: { look(words: string): Promise<Found>; show(place: number, words: string): Promise<void> };
  onClose: () => void;
}

/** Looks for words in the whole chat, also in what is not loaded: the newest place first, Enter goes up. */
export function FindBar({ onFind, onClose }: Props) {
  const [words, setWords] = useState("");
  const [found, setFound] = useState<(Found & { at: number }) | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const box = useRef<HTMLInputElement>(null);
  const asked = words.trim();

  // Asked for once more, it is where one goes on.
  useEffect(() => onFindInChat(() => box.current?.select()), []);

  useEffect(() => {
    setFound(null);
    setFailure(null);
    if (!asked) return;
    let left = false;
    const timer = setTimeout(async () => {
      try {
        const all = await onFind.look(asked);
        if (left) return;
        setFound({ ...all, at: all.places.length - 1 });
        const newest = all.places.at(-1);
        if (newest !== undefined) await onFind.show(newest, asked);
      } catch (error) {
        if (!left) setFailure(error);
      }
    }, DELAY_MS);
    return () => {
      left = true;
      clearTimeout(timer);
    };
  }, [asked, onFind]);

  function go(step: number) {
    if (!found?.places.length) return;
    const at = (found.at + step + found.places.length) % found.places.length;
    const place = found.places[at];
    if (place === undefined) return;
    setFound({ ...found, at });
    onFind.show(place, asked).catch(setFailure);
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === "Escape") {
      event.preventDefault();
      onClose();
    }
    if (event.key !== "Enter") return;
    event.preventDefault();
    go(event.shiftKey ? 1 : -1);
  }

  return (
    <search className="find-bar">
      <Icon name="search" size={15} />
      <input
        ref={box}
        type="search"
        className="form-control form-control-sm"
        aria-label="Find in this chat"
        placeholder="Find in this chat"
        maxLength={200}
        value={words}
        // biome-ignore lint/a11y/noAutofocus: the user has just asked for it
        autoFocus
        onChange={({ target }) => setWords(target.value)}
        onKeyDown={onKeyDown}
      />
      <span className="find-count" role="status">
        {failure !== null ? messageOf(failure) : countWords(asked, found)}
      </span>
      <Step words="The one before" icon="‹" off={!found?.places.length} onPress={() => go(-1)} />
      <Step words="The next one" icon="›" off={!found?.places.length} onPress={() => go(1)} />
      <button type="button" className="btn-close" aria-label="Close the search" onClick={onClose} />
    </search>
  );
}

function countWords(asked: string, found: (Found & { at: number }) | null): string {
  if (!asked) return "";
  if (!found) return "Searching…";
  if (!found.places.length) return "Nothing found";
  const of = `${found.places.length}${found.more ? "+" : ""}`;
  return `${found.at + 1} of ${of} ${found.places.length === 1 ? "message" : "messages"}`;
}

function Step({
  words,
  icon,
  off,
  onPress,
}: {
  words: string;
  icon: string;
  off: boolean;
  onPress: () => void;
}) {
  return (
    <button
      type="button"
      className="btn btn-sm btn-link btn-icon"
      aria-label={words}
      disabled={off}
      onClick={onPress}
    >
      {icon}
    </button>
  );
}
