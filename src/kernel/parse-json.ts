/** @returns the value; undefined where the text is no JSON */
export function parseJsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @returns the object; undefined where the text is no JSON object */
export function parseJsonObject(text: string): Readonly<Record<string, unknown>> | undefined {
  const value = parseJsonOrUndefined(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;
}
