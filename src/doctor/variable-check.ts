import { type Finding, findingOf } from './finding.ts';

/** A variable of the environment that looks like one of the server's and is none. */
interface UnknownVariable {
  readonly name: string;
  /** The known variable that was probably meant. */
  readonly nearest: string | undefined;
}

/** @returns a finding for each variable that the server does not read, although it looks like one of its own */
export function checkVariables(unknown: readonly UnknownVariable[]): readonly Finding[] {
  return unknown.map(({ name, nearest }) =>
    findingOf(
      'warning',
      'variables.unknown',
      `the server does not read the variable ${name}${nearest === undefined ? '' : `: did you mean ${nearest}?`}`,
      nearest === undefined
        ? `remove ${name}; \`tankeeper config\` lists the variables`
        : `rename it to ${nearest}`,
    ),
  );
}
