/** Fields of a log line besides its message; the logger drops every field that is not on its list. */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

/** Log of the domain, for operators. Never gets a secret. */
export interface Log {
  error(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  debug(message: string, fields?: LogFields): void;
}
