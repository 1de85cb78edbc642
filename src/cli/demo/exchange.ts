import { CliFailure } from '../cli-failure.ts';
import type { Fetch } from '../dependencies.ts';
import type { DemoServer } from '../../compose/server.ts';

/** A request of the tour, sent over HTTP and shown as a curl line. */
export interface DemoRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** Sends the credentials of the administrator; otherwise none. */
  readonly asAdministrator: boolean;
}

/** An answer of the server. */
interface DemoAnswer {
  readonly status: number;
  /** The body parsed as JSON, or as text if it is none. */
  readonly body: unknown;
}

const TIMEOUT_MS = 15_000;
/** Values that need no encoding in a form. */
const PLAIN = /^[A-Za-z0-9_.,-]*$/;

/** @returns a command for a POSIX shell that sends exactly this request */
export function curlLine(
  { method, path, parameters, asAdministrator }: DemoRequest,
  baseUrl: string,
  adminPassword: string,
): string {
  const user = asAdministrator ? ['-u', shellWord(`admin:${adminPassword}`)] : [];
  const fields = Object.entries(parameters).map(([name, value]) =>
    PLAIN.test(value) ? `-d ${name}=${value}` : `--data-urlencode ${shellWord(`${name}=${value}`)}`,
  );
  const asQuery = method === 'GET' && fields.length > 0 ? ['-G'] : [];
  // Without a field, curl would send no POST.
  const asPost = method === 'POST' && fields.length === 0 ? ['-X POST'] : [];
  return ['curl -s', ...user, ...asQuery, ...asPost, shellWord(baseUrl + path), ...fields].join(' ');
}

/** @returns any text as one word of a POSIX shell */
export function shellWord(text: string): string {
  return /^[A-Za-z0-9_.,:/=@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Sends the request of `curlLine`. */
export async function sendDemoRequest(
  fetch: Fetch,
  { baseUrl, adminPassword }: Pick<DemoServer, 'baseUrl' | 'adminPassword'>,
  { method, path, parameters, asAdministrator }: DemoRequest,
): Promise<DemoAnswer> {
  const form = new URLSearchParams(parameters);
  const query = method === 'GET' && form.size > 0 ? `?${form.toString()}` : '';
  const credentials = Buffer.from(`admin:${adminPassword}`, 'utf8').toString('base64');
  const answer = await fetch(baseUrl + path + query, {
    method,
    headers: asAdministrator ? { authorization: `Basic ${credentials}` } : {},
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...(method === 'POST' ? { body: form } : {}),
  });
  return { status: answer.status, body: readBody(await answer.text()) };
}

function readBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The expected answer: values to be equal, predicates to hold, objects to have at least these keys. */
export type Expectation =
  | string
  | number
  | boolean
  | null
  | ((actual: unknown) => boolean)
  | readonly Expectation[]
  | { readonly [key: string]: Expectation };

/**
 * Compares an answer with the expected one.
 * @param where the path of `actual`, for the message
 * @throws CliFailure that names the first difference
 */
export function assertAnswer(actual: unknown, expected: Expectation, where = 'answer'): void {
  if (typeof expected === 'function') {
    assertThat(expected(actual), where, actual, 'something else');
  } else if (isList(expected)) {
    assertList(actual, expected, where);
  } else if (expected !== null && typeof expected === 'object') {
    assertThat(actual !== null && typeof actual === 'object', where, actual, 'an object');
    const fields = actual as Readonly<Record<string, unknown>>;
    for (const [key, value] of Object.entries(expected)) {
      assertAnswer(fields[key], value, `${where}.${key}`);
    }
  } else {
    assertThat(Object.is(actual, expected), where, actual, JSON.stringify(expected));
  }
}

function assertList(actual: unknown, expected: readonly Expectation[], where: string): void {
  const items: readonly unknown[] = Array.isArray(actual) ? actual : [];
  assertThat(
    Array.isArray(actual) && items.length === expected.length,
    where,
    actual,
    `${expected.length} items`,
  );
  expected.forEach((item, index) => {
    assertAnswer(items[index], item, `${where}[${index}]`);
  });
}

function isList(expected: Expectation): expected is readonly Expectation[] {
  return Array.isArray(expected);
}

function assertThat(holds: boolean, where: string, actual: unknown, expected: string): void {
  if (!holds) {
    const text = JSON.stringify(actual) as string | undefined;
    throw new CliFailure(`${where} is ${(text ?? 'missing').slice(0, 300)}, expected ${expected}`);
  }
}

/** The position of a value in the layout. */
interface Position {
  /** Indentation of its lines. */
  readonly indent: number;
  /** Characters before it on its first line, without the indentation. */
  readonly head: number;
}

/**
 * Formats JSON for reading: a value that fits into a line stays on one line.
 * @param width characters of a line; a long text may be longer
 * @returns lines, indented by two, without a line end at the end
 */
export function compactJson(
  value: unknown,
  width: number,
  { indent, head }: Position = { indent: 0, head: 0 },
): string {
  const flat = inOneLine(value);
  if (indent + head + flat.length <= width || value === null || typeof value !== 'object') {
    return flat;
  }
  const items = entriesOf(value).map(
    ([name, item]) =>
      ' '.repeat(indent + 2) + name + compactJson(item, width, { indent: indent + 2, head: name.length + 1 }),
  );
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  return `${open}\n${items.join(',\n')}\n${' '.repeat(indent)}${close}`;
}

function inOneLine(value: unknown): string {
  if (value === null || typeof value !== 'object') {
    return JSON.stringify(value);
  }
  const items = entriesOf(value).map(([name, item]) => name + inOneLine(item));
  if (Array.isArray(value)) {
    return `[${items.join(', ')}]`;
  }
  return items.length === 0 ? '{}' : `{ ${items.join(', ')} }`;
}

/** @returns the prefix of each item, and the item */
function entriesOf(value: object): [string, unknown][] {
  return Array.isArray(value)
    ? value.map((item: unknown) => ['', item])
    : Object.entries(value).map(([key, item]) => [`${JSON.stringify(key)}: `, item]);
}
