/** The reason for which the console was opened, beside a page: the answer of single sign-on, or a link. */
export type Arrival =
  | { readonly kind: 'single-sign-on'; readonly word: string }
  | { readonly kind: 'link'; readonly secret: string };

/**
 * @param hash `location.hash`
 * @returns undefined for that of a page
 */
export function readArrival(hash: string): Arrival | undefined {
  const [, name, value = ''] = /^#(single-sign-on|link)=([\w-]{1,64})$/.exec(hash) ?? [];
  if (name === 'link') {
    return { kind: 'link', secret: value };
  }
  return name === undefined ? undefined : { kind: 'single-sign-on', word: value };
}

/** @returns the hash, if it is that of a page of the console: nothing else is ever opened after a sign-in */
export function pageHash(hash: string | null): string | undefined {
  return hash !== null && /^#\/(?!\/)/.test(hash) ? hash : undefined;
}
