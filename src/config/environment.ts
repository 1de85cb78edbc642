export type Environment = Readonly<Record<string, string | undefined>>;

/** @returns the text of a variable; undefined for an empty one, as compose files write unset variables */
export function readVariable(environment: Environment, name: string): string | undefined {
  return environment[name] === '' ? undefined : environment[name];
}
