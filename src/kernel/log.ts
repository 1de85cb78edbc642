/** What a log line may carry besides its message; the logger drops every field that is not on its list. */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

/** Where the domain tells operators what they should know. Never given a secret. */
export interface Log {
  error(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  debug(message: string, fields?: LogFields): void;
}
