const PATHS = {
  plus: "M12 5v14M5 12h14",
  search: "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM20 20l-4-4",
  menu: "M4 6h16M4 12h16M4 18h16",
  send: "M12 19V5M5 12l7-7 7 7",
  stop: "M7 7h10v10H7z",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6 19 19M19 5l-1.4 1.4M6.4 17.6 5 19",
  moon: "M20 14.5A8.5 8.5 0 1 1 9.5 4 7 7 0 0 0 20 14.5z",
  system: "M4 5h16v11H4zM8 20h8M12 16v4",
  chevron: "M6 9l6 6 6-6",
  check: "M5 12.5l4.5 4.5L19 7",
  cross: "M6 6l12 12M18 6 6 18",
  ban: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM5.7 5.7l12.6 12.6",
  tool: "M14.7 6.3a4 4 0 0 0-5.4 5.1L4 16.7 7.3 20l5.3-5.3a4 4 0 0 0 5.1-5.4l-2.5 2.5-2.4-.6-.6-2.4z",
  question:
    "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM9.5 9.5a2.5 2.5 0 1 1 3.6 2.2c-.8.4-1.1 1-1.1 1.8M12 16.5v.1",
  chat: "M4 5h16v11H10l-5 4v-4H4z",
  inbox: "M4 13l3-8h10l3 8v6H4zM4 13h5l1 2.5h4l1-2.5h5",
  bell: "M6 16v-5a6 6 0 0 1 12 0v5l2 2H4zM10 20.5a2.2 2.2 0 0 0 4 0",
  clock: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 7v5l3 2",
  external: "M14 4h6v6M20 4l-9 9M18 14v5H5V6h5",
  copy: "M9 9h11v11H9zM15 5H5v10",
  more: "M5 12h.1M12 12h.1M19 12h.1",
  pencil: "M4 20l4-1L19 8l-3-3L5 16z",
  archive: "M4 8v11h16V8M3 4h18v4H3zM10 12h4",
  down: "M12 5v14M5 12l7 7 7-7",
  retry: "M20 11a8 8 0 1 0-2.3 6M20 5v6h-6",
  warning: "M12 4l9 16H3zM12 10v4M12 17v.1",
  rewind: "M4 5v5h5M4.5 10A8 8 0 1 1 4 14M12 8v4l3 2",
  fork: "M7 4v16M7 15c0-5 10-3 10-8M17 4v3M17 4l-3 3M17 4l3 3",
  download: "M12 4v11M7 11l5 5 5-5M5 20h14",
  eye: "M2 12s4-6.5 10-6.5S22 12 22 12s-4 6.5-10 6.5S2 12 2 12zM12 9.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5z",
  studio: "M4 7h7M17 7h3M14 4v6M4 17h3M13 17h7M10 14v6",
  trash: "M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5",
  play: "M8 5l11 7-11 7z",
  pause: "M8 5v14M16 5v14",
  pin: "M9 4h6l-1 6 4 4H6l4-4zM12 14v6",
  key: "M8 10a5 5 0 1 0 0 10 5 5 0 0 0 0-10zM11.5 11.5 20 3M17 6l3 3",
  file: "M6 3h8l4 4v14H6zM14 3v4h4",
  attach: "M20 11.5l-8 8a5 5 0 0 1-7-7l8.5-8.5a3.4 3.4 0 0 1 4.8 4.8L10 17a1.7 1.7 0 0 1-2.4-2.4L15 7",
  folder: "M3 6h6l2 2h10v11H3z",
  upload: "M12 20V8M7 12l5-5 5 5M5 4h14",
  broadcast:
    "M12 10a2 2 0 1 0 0 4 2 2 0 0 0 0-4zM8 8a5.7 5.7 0 0 0 0 8M16 8a5.7 5.7 0 0 1 0 8M5 5a10 10 0 0 0 0 14M19 5a10 10 0 0 1 0 14",
  person: "M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM4.5 20.5a7.5 7.5 0 0 1 15 0",
  spark: "M12 3l2 6.5 6.5 2.5-6.5 2.5L12 21l-2-6.5L3.5 12 10 9.5z",
  globe: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM3 12h18M12 3c3 3 3 15 0 18M12 3c-3 3-3 15 0 18",
  database:
    "M12 4c4.4 0 7 1.2 7 2.7S16.4 9.4 12 9.4 5 8.200 5 6.700 7.600 4 12 4zM5 6.700v10.600C5 18.800 7.600 20 12 20s7-1.200 7-2.700V6.700M5 12c0 1.500 2.600 2.700 7 2.700s7-1.200 7-2.700",
  delta: "M12 5l8 14H4z",
  first: "M18 6l-8 6 8 6zM7 6v12",
  back: "M15 6l-7 6 7 6",
  forward: "M9 6l7 6-7 6",
  last: "M6 6l8 6-8 6zM17 6v12",
  grow: "M14 4h6v6M20 4l-7 7M10 20H4v-6M4 20l7-7",
  shrink: "M20 10h-6V4M14 10l6-6M4 14h6v6M10 14l-6 6",
  thumbUp:
    "M7 11v9H4v-9zM7 11l4-8c1.500 0 2.500 1 2.500 2.500V9H19a1.800 1.800 0 0 1 1.800 2.100l-1.300 7.200A2 2 0 0 1 17.500 20H7",
  thumbDown:
    "M17 13V4h3v9zM17 13l-4 8c-1.500 0-2.500-1-2.500-2.500V15H5a1.800 1.800 0 0 1-1.800-2.100l1.300-7.200A2 2 0 0 1 6.500 4H17",
  canvas: "M4 5h16v14H4zM13 5v14",
  child: "M6 4v9a3 3 0 0 0 3 3h9M14 12l4 4-4 4",
} as const;

export type IconName = keyof typeof PATHS;

/** All of them, by name. */
export const ICONS = Object.keys(PATHS) as IconName[];

export function isIconName(name: string): name is IconName {
  return Object.hasOwn(PATHS, name);
}

/** A drawing in the text's colour. It is decoration: whatever it stands for must also be said in words. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      className="icon"
      aria-hidden="true"
      focusable="false"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill={name === "stop" ? "currentColor" : "none"}
      stroke="currentColor"
      strokeWidth={name === "more" ? 3 : 2}
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
