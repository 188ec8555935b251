/** The mark of public/icon.svg, drawn in the page: without a token no file may be loaded. */
export function Logo({ size = 56 }: { size?: number }) {
  return (
    <svg aria-hidden="true" width={size} height={size} viewBox="0 0 32 32">
      <rect width="32" height="32" rx="8" fill="var(--fl-accent-fill)" />
      <path d="M8 10h16M8 16h11M8 22h6" stroke="var(--fl-on-fill)" strokeWidth="3" strokeLinecap="round" />
      <circle cx="22" cy="22" r="3" fill="var(--fl-attention-bg)" />
    </svg>
  );
}
