/**
 * @param variable `WIRE_DIALECT`
 * @returns its key in a configuration file: `wireDialect`
 */
export function fileKeyOf(variable: string): string {
  return variable.toLowerCase().replace(/_(.)/g, (_match, letter: string) => letter.toUpperCase());
}
