/** The content of an envelope besides its head. The order of keys is that on the wire. */
export type EnvelopeResult =
  | { readonly status: true; readonly [key: string]: unknown }
  | { readonly status: false; readonly error: Readonly<Record<string, unknown>> };

/** @returns JSON indented by three, in ASCII: other characters as \uXXXX, so that no charset can break them */
export function asciiJson(value: unknown): string {
  return JSON.stringify(value, null, 3).replace(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * @param text the value of the parameter `id`
 * @returns the id of the answer: the given one if it is a whole number that every JSON reader keeps exactly, else 1
 */
export function envelopeId(text: string | undefined): number {
  const id = text !== undefined && /^-?\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(id) ? id : 1;
}
