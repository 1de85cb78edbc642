/** What a table shows, by names of letters: filters, order and place. Empty texts are left out. */
export type View = Readonly<Record<string, string>>;

/** The address of a page with a table: `/tokens;state=locked;page=2`. */
export function viewAddress(path: string, view: View): string {
  const parts = Object.entries(view).filter(([, text]) => text !== '');
  return path + parts.map(([name, text]) => `;${name}=${part(text)}`).join('');
}

/** @returns the address of a page without its view, and the view */
export function readAddress(address: string): { readonly path: string; readonly view: View } {
  const [path = '', ...parts] = address.split(';');
  const entries = parts.map((text) => /^([a-z]+)=(.*)$/s.exec(text) ?? ['', '', '']);
  return {
    path,
    view: Object.fromEntries(entries.map(([, name = '', text = '']) => [name, readPart(text)])),
  };
}

/**
 * Percent signs are not used, as the router decodes some of them.
 * @returns the name as a part of an address: any character but letters, digits and `_.@-` as `~2f~`, its code point
 */
export function part(name: string): string {
  return name.replace(/[^\w.@-]/gu, (character) => `~${(character.codePointAt(0) ?? 0).toString(16)}~`);
}

/** @returns the name that a part of an address stands for */
export function readPart(text: string): string {
  return text.replace(/~([0-9a-f]{1,5}|10[0-9a-f]{4})~/g, (_, code: string) =>
    String.fromCodePoint(Number.parseInt(code, 16)),
  );
}
