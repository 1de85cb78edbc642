/**
 * Control characters (C0, DEL, C1), line and paragraph separators, and the marks of writing direction: all characters
 * that could move the cursor, colour the screen or disguise a line as another one.
 */
// eslint-disable-next-line no-control-regex -- control characters are what this is about
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/**
 * Makes foreign text (logins, descriptions, answers of servers) harmless for a terminal.
 * @returns the text on one line, each unsafe character as its escape, `\u001b` for instance
 */
export function safeText(text: string): string {
  return text.replace(UNSAFE, escapeCharacter);
}

/** Escapes as `safeText` does, but keeps line feeds. */
export function safeLines(text: string): string {
  return text.split('\n').map(safeText).join('\n');
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
