import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, '../../exchanges');
const ENDPOINTS = ['tokens', 'userinfo', 'activeUsers', 'config', 'license', 'storageEncryption'] as const;
type Endpoint = (typeof ENDPOINTS)[number];

/** The realm of LinOTP's administrators. */
const ADMINISTRATORS_REALM = 'linotp_admins';
const NO_LICENCE = ['license file is empty!', 'Die Lizenzdatei ist leer!'];
/** The error in an error page: `[LinOTP 3.4.4] 410: ERR410: …`. */
const ERROR_PAGE = /^\[LinOTP 3\.4\.4\] (-?\d+): (.*)$/m;

interface Refusal {
  readonly code: number;
  readonly message: string;
}

/** A request to LinOTP's monitoring, and the facts of its answer. */
export interface Recording {
  readonly name: string;
  readonly endpoint: Endpoint;
  /** Undefined: a parameter that is not a text. */
  readonly parameters: ReadonlyMap<string, string> | undefined;
  readonly facts: unknown;
}

interface RawRecording {
  readonly name: string;
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly body: string;
    readonly headers: readonly (readonly [string, string])[];
  };
  readonly response: { readonly body: string };
}

type Members = Record<string, unknown>;

/** @returns the recordings of monitoring itself, in order, and the number of others */
export function readRecordings(): { readonly recordings: readonly Recording[]; readonly others: number } {
  const raw = readFileSync(join(FOLDER, 'monitoring-3.4.4.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as RawRecording);
  const recordings = raw.flatMap(readRecording);
  return { recordings, others: raw.length - recordings.length };
}

function readRecording({ name, request, response }: RawRecording): Recording[] {
  const url = new URL(request.path.replace(/^\/+/, '/'), 'http://server');
  const endpoint = ENDPOINTS.find((known) => url.pathname === `/monitoring/${known}`);
  const answer = answerOf(response.body);
  if (endpoint === undefined || answer === undefined || ('error' in answer && isTranslated(request))) {
    return [];
  }
  const parameters = parametersOf(url.searchParams, request);
  const isExplicit = parameters !== undefined && isExplicitList(parameters.get('realms'));
  const facts = 'error' in answer ? { error: answer.error } : factsOf(endpoint, answer.value, isExplicit);
  return [{ name, endpoint, parameters, facts }];
}

/** @returns true if the answer's realms come in the order of the request */
export function isExplicitList(realms: string | undefined): boolean {
  return realms !== undefined && realms !== '' && !realms.split(',').includes('*');
}

/** @returns true for a translated text, whose content belongs to the dialect */
function isTranslated({ headers }: RawRecording['request']): boolean {
  return headers.some(([name, value]) => name === 'Accept-Language' && value.startsWith('de'));
}

function answerOf(body: string): { value: unknown } | { error: Refusal } | undefined {
  const [, code, message] = ERROR_PAGE.exec(body) ?? [];
  if (code !== undefined && message !== undefined) {
    return { error: { code: Number(code), message } };
  }
  if (!body.startsWith('{')) {
    return undefined;
  }
  const { result } = JSON.parse(body) as { result: { status: boolean; value?: unknown; error?: Refusal } };
  if (result.error?.message === 'Not authenticated') {
    return undefined;
  }
  return result.error === undefined ? { value: result.value } : { error: result.error };
}

/** Reads the first of a repeated parameter, as LinOTP's monitoring does. */
function parametersOf(
  query: URLSearchParams,
  { method, body, headers }: RawRecording['request'],
): ReadonlyMap<string, string> | undefined {
  const type = headers.find(([name]) => name === 'Content-Type')?.[1] ?? '';
  const given: (readonly [string, unknown])[] = [...query];
  if (method === 'POST') {
    given.push(...bodyParameters(type, body));
  }
  const entries = given.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
  return entries.every((entry): entry is readonly [string, string] => typeof entry[1] === 'string')
    ? new Map(entries.toReversed())
    : undefined;
}

function bodyParameters(type: string, body: string): (readonly [string, unknown])[] {
  if (type === 'application/json') {
    return Object.entries(JSON.parse(body) as Members);
  }
  if (type.startsWith('multipart/')) {
    return [...body.matchAll(/name="(\w+)"\r\n\r\n(.*)\r\n/g)].map(
      ([, name = '', value]) => [name, value] as const,
    );
  }
  return [...new URLSearchParams(body)];
}

function factsOf(endpoint: Endpoint, value: unknown, isExplicit: boolean): unknown {
  const members = value as Members;
  switch (endpoint) {
    case 'tokens':
    case 'userinfo':
    case 'activeUsers':
      return realmFacts(members, isExplicit);
    case 'config':
      return {
        sync: members.sync,
        passwdresolver: members.passwdresolver,
        policies: members.policies,
        realms: Number(members.realms) - 1,
      };
    case 'license':
      return NO_LICENCE.includes(String(members.message)) ? { kind: 'none' } : members;
    case 'storageEncryption':
      return members.encryption;
  }
}

function realmFacts({ Realms, ...rest }: Members, isExplicit: boolean): unknown {
  const shown = Object.entries(Realms as Members).filter(([realm]) => realm !== ADMINISTRATORS_REALM);
  return {
    Realms: Object.fromEntries(shown),
    ...rest,
    ...(isExplicit ? { order: shown.map(([realm]) => realm) } : {}),
  };
}
