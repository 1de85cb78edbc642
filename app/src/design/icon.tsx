import type { JSX } from 'preact';

/** Paths on a grid of 24 by 24, drawn with a line of two units. */
const PATHS = {
  tokens: 'M4 5h16v14H4z M4 10h16 M8 15h4',
  scan: 'M4 8V4h4 M16 4h4v4 M20 16v4h-4 M8 20H4v-4 M8 8h3v3H8z M13 13h3v3h-3z M14 8h2 M8 14v2',
  history: 'M12 7v5l3 2 M4.5 9a8 8 0 1 1-.5 3 M4 5v4h4',
  settings: 'M4 7h10 M18 7h2 M16 5v4 M4 12h2 M10 12h10 M8 10v4 M4 17h8 M16 17h4 M14 15v4',
  lock: 'M6 11h12v9H6z M8.5 11V8a3.5 3.5 0 0 1 7 0v3',
  back: 'M14 6l-6 6 6 6',
  next: 'M10 6l6 6-6 6',
  accepted: 'M12 3a9 9 0 1 0 .001 0z M8 12l3 3 5-6',
  refused: 'M12 3a9 9 0 1 0 .001 0z M9 9l6 6 M15 9l-6 6',
  unknown: 'M12 3a9 9 0 1 0 .001 0z M12 7v6 M12 16.5v.5',
  light: 'M9 18h6 M10 21h4 M8.5 14.5a6 6 0 1 1 7 0c-.5.5-.5 1-.5 1.5h-6c0-.5 0-1-.5-1.5z',
  copy: 'M9 9h11v11H9z M5 15H4V4h11v1',
  picture: 'M4 5h16v14H4z M4 16l5-5 4 4 3-3 4 4 M8 8.5v.01',
} as const;

export type IconName = keyof typeof PATHS;

/** A line drawing beside a text that says the same. */
export function Icon({ name }: { name: IconName }): JSX.Element {
  return (
    <svg
      class="icon"
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width="2"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
