/**
 * The fields that a log line may carry besides time, level and message. All others are dropped, so that no secret is
 * logged because a list of exceptions omits it.
 */
const ALLOWED = [
  'requestId',
  'method',
  'path',
  'status',
  'durationMs',
  'aborted',
  'client',
  'administrator',
  'serial',
  'realm',
  'realms',
  'resolver',
  'policy',
  'webhook',
  'scope',
  'action',
  'code',
  'limit',
  'fault',
  'faultDetail',
  'stack',
  'component',
  'address',
  'host',
  'port',
  'url',
  'keyId',
  'attempts',
  'count',
  'clockOffset',
  'checkpoint',
  'migration',
  'version',
  'dataDir',
  'dataFolder',
  'home',
  'startedHere',
] as const;

type AllowedField = (typeof ALLOWED)[number];
type FieldValue = string | number | boolean;

/** The allowed fields of a line. */
export type LogFields = Partial<Record<AllowedField, FieldValue>>;

const MAX_LENGTH = 500;
const MAX_STACK_LENGTH = 5_000;

/** Adds to a line the allowed fields among the given ones, long texts cut, in the order of the list. */
export function addAllowedFields(line: LogFields, fields: Readonly<Record<string, unknown>>): void {
  for (const name of ALLOWED) {
    const value = fields[name];
    if (typeof value === 'string') {
      line[name] = value.slice(0, name === 'stack' ? MAX_STACK_LENGTH : MAX_LENGTH);
    } else if (typeof value === 'number' || typeof value === 'boolean') {
      line[name] = value;
    }
  }
}
