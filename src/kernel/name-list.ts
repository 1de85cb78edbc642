/** Names in a clause; more are counted. */
const MAX_NAMES = 5;

/** @returns `a, b and c`; of many, the first ones and the number of the others */
export function listNames(names: readonly string[]): string {
  const shown = names.length > MAX_NAMES ? names.slice(0, MAX_NAMES - 1) : names;
  const others = names.length - shown.length;
  const items = others > 0 ? [...shown, `${others} others`] : shown;
  return items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1) ?? ''}`;
}
