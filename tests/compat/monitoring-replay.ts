import { isDeepStrictEqual } from 'node:util';
import type { RawAnswer, ReplayServer } from './replay-server.ts';

/** An exchange as it was recorded. */
export interface MonitoringExchange {
  readonly name: string;
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly headers: readonly Header[];
    readonly body: string;
  };
  readonly response: {
    readonly status: string;
    readonly headers: readonly Header[];
    readonly body: string;
  };
}

type Header = readonly [name: string, value: string];

const ADMINISTRATORS_REALM = 'linotp_admins';
const TIMES_AND_ROW_COUNTS: readonly string[] = ['synctime', 'now', 'total', 'netto'];
const CSRF = /csrf_access_token=([0-9a-f-]{36})/;

type Members = Record<string, unknown>;

/** The sender of the request of that name; everybody's password is the recorded one. */
function administratorOf(name: string): string {
  return /\/(helpdesk|restricted|noread) /.exec(name)?.[1] ?? 'admin';
}

/** Logs in and sends the request with what the login gave in place of what the recorded one had. */
export async function replay(server: ReplayServer, exchange: MonitoringExchange): Promise<RawAnswer> {
  const { name, request } = exchange;
  const recordedCookie = request.headers.find(([header]) => header === 'Cookie')?.[1] ?? '';
  const recordedCsrf = CSRF.exec(recordedCookie)?.[1];
  const { token, csrf } = await logIn(server, administratorOf(name));
  const sent = name.includes('bad signature') ? `${token.slice(0, -6)}AAAAAA` : token;
  const put = (text: string): string => {
    const withToken = text.replaceAll('<JWT>', sent);
    return recordedCsrf === undefined ? withToken : withToken.replaceAll(recordedCsrf, csrf);
  };
  return server.send({
    method: request.method,
    path: put(request.path),
    headers: request.headers.flatMap(([header, value]) => [
      header,
      header === 'Host' ? 'localhost' : put(value),
    ]),
    body: request.body,
  });
}

async function logIn(server: ReplayServer, username: string): Promise<{ token: string; csrf: string }> {
  const body = new URLSearchParams({ username, password: 'secret' }).toString();
  const { cookies } = await server.send({
    method: 'POST',
    path: '/admin/login',
    headers: { Host: 'localhost', 'Content-Type': 'application/x-www-form-urlencoded' },
    body,
  });
  const value = (name: string): string =>
    cookies.map((cookie) => new RegExp(`^${name}=([^;]+)`).exec(cookie)?.[1]).find((found) => found) ?? '';
  return { token: value('access_token_cookie'), csrf: value('csrf_access_token') };
}

/** @returns true if status, content type and the bytes of the body are those recorded, random values masked */
export function isIdentical({ request, response }: MonitoringExchange, answer: RawAnswer): boolean {
  const recordedType = response.headers.find(([name]) => name === 'Content-Type')?.[1] ?? '';
  const isOrdered = isExplicitList(realmsOf(request));
  return isDeepStrictEqual(
    [answer.status, answer.contentType, masked(answer.body.toString('utf8'), isOrdered)],
    [Number(response.status.split(' ')[1]), recordedType, masked(response.body, isOrdered)],
  );
}

/**
 * The values that are masked: the realm that LinOTP keeps its administrators in, times, and how many rows LinOTP's own
 * table of the configuration has. Realms and statuses come in the order of a Python set, which is random: they are
 * sorted, but for realms that were asked for by name. Everything else stays to the byte, each blank of the layout
 * included.
 */
function masked(body: string, isOrdered: boolean): string {
  if (!body.startsWith('{')) {
    return body;
  }
  const envelope = JSON.parse(body) as { result: { value?: unknown } };
  const { value } = envelope.result;
  if (layout(envelope) !== body || typeof value !== 'object' || value === null) {
    return body;
  }
  const result = { ...envelope.result, value: maskedValue(value as Members, isOrdered) };
  return layout({ ...envelope, result });
}

function maskedValue(value: Members, isOrdered: boolean): Members {
  if ('synctime' in value) {
    return maskedConfiguration(value);
  }
  const { Realms: realms } = value;
  if (realms === undefined) {
    return value;
  }
  const shown = Object.entries(realms as Members)
    .filter(([realm]) => realm !== ADMINISTRATORS_REALM)
    .map(([realm, counts]) => [realm, sorted(counts as Members)] as const);
  const inOrder = Object.fromEntries(shown);
  return Object.fromEntries(
    Object.entries(value).map(([key, member]): [string, unknown] => {
      if (key === 'Realms') {
        return [key, isOrdered ? inOrder : sorted(inOrder)];
      }
      return [key, key === 'Summary' ? sorted(member as Members) : member];
    }),
  );
}

/** LinOTP's own realm and its resolver, which is an SQL one, are not counted. */
function maskedConfiguration(value: Members): Members {
  const isOwn = Number(value.realms) === 7;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]): [string, unknown] => {
      if (TIMES_AND_ROW_COUNTS.includes(key)) {
        return [key, `(${typeof member})`];
      }
      return isOwn && (key === 'realms' || key === 'sqlresolver') ? [key, Number(member) - 1] : [key, member];
    }),
  );
}

function sorted(members: Members): Members {
  return Object.fromEntries(Object.entries(members).sort(([left], [right]) => (left < right ? -1 : 1)));
}

function layout(value: unknown): string {
  return JSON.stringify(value, null, 3).replace(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function realmsOf({ method, path, body, headers }: MonitoringExchange['request']): string | undefined {
  const query = new URL(path.replace(/^\/+/, '/'), 'http://server').searchParams.get('realms');
  if (query !== null || method === 'GET') {
    return query ?? undefined;
  }
  const type = headers.find(([name]) => name === 'Content-Type')?.[1] ?? '';
  if (type === 'application/x-www-form-urlencoded') {
    return new URLSearchParams(body).get('realms') ?? undefined;
  }
  return body.includes('mydefrealm') ? 'mydefrealm' : undefined;
}

/** @returns true if the answer's realms come in the order of the request */
function isExplicitList(realms: string | undefined): boolean {
  return realms !== undefined && realms !== '' && !realms.split(',').includes('*');
}
