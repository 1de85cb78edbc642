/** @returns the list with the thing one place up (-1) or down (1), as far as it goes */
export function moved(list: readonly string[], thing: string, by: -1 | 1): readonly string[] {
  const from = list.indexOf(thing);
  const to = from + by;
  if (from < 0 || to < 0 || to >= list.length) {
    return list;
  }
  const others = list.filter((one) => one !== thing);
  return [...others.slice(0, to), thing, ...others.slice(to)];
}
