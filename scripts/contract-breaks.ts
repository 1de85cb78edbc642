import type { Contract, Parts } from './contract.ts';

interface Part {
  readonly types: readonly string[];
  readonly required: boolean;
}

/** @returns what works with one version and no longer with a later one, for people */
export function contractBreaks(before: Contract, now: Contract): readonly string[] {
  const added = Object.entries(before.asked).flatMap(([name, parts]) =>
    Object.entries(now.asked[name] ?? {})
      .filter(([part, text]) => parts[part] === undefined && partOf(text).required)
      .map(([part]) => `${name}: ${part} is new and required`),
  );
  return [
    ...partBreaks(before.asked, now.asked, (old, part) => [
      ...old.types.filter((type) => !includes(part.types, type)).map((type) => `takes ${type} no longer`),
      ...(part.required && !old.required ? ['is required'] : []),
    ]),
    ...added,
    ...partBreaks(before.given, now.given, (old, part) => [
      ...part.types.filter((type) => !includes(old.types, type)).map((type) => `may be ${type}`),
      ...(old.required && !part.required ? ['may be missing'] : []),
    ]),
  ];
}

function partBreaks(
  before: Parts,
  now: Parts,
  changes: (old: Part, part: Part) => string[],
): readonly string[] {
  return Object.entries(before).flatMap(([name, parts]) => {
    const { [name]: current } = now;
    return current === undefined
      ? [`${name} is gone`]
      : Object.entries(parts).flatMap(([part, text]) => {
          const { [part]: changed } = current;
          const found = changed === undefined ? ['is gone'] : changes(partOf(text), partOf(changed));
          return found.map((one) => `${name}: ${part} ${one}`);
        });
  });
}

function partOf(text: string): Part {
  const types = text.replace(/, required$/, '');
  return { types: types.split(' or '), required: types !== text };
}

/** @returns true if a value of the one type is of these types */
function includes(types: readonly string[], one: string): boolean {
  const wider = one.startsWith('"') ? 'string' : one === 'integer' ? 'number' : one;
  return [one, wider, 'any'].some((type) => types.includes(type));
}
