import fc from 'fast-check';
import type { Endpoint } from '../../../src/http/endpoint-spec.ts';
import { hostileValue, type KnownFacts, namesHost } from './fuzz-values.ts';
import { plausibleValues, soundParameters, strangeName } from './fuzz-values.ts';
import {
  type Broken,
  breakRequest,
  cutOrReframe,
  encodeForm,
  encodeMultipart,
  type Pairs,
  serialise,
  strangeHeaders,
  type WholeRequest,
  wildBytes,
} from './fuzz-wire.ts';

/** A request to the server. */
export interface HostileRequest {
  /** The path of the intended endpoint. */
  readonly path: string;
  readonly method: string;
  readonly bytes: Buffer;
  /** It is no HTTP, or not all of it; otherwise it has exactly one answer. */
  readonly broken: boolean;
  /** It requests a status of its own (`httperror`), which may be 500. */
  readonly wishesStatus: boolean;
}

/** @returns the usual one as many times as one of the rare ones */
function mostly<Value>(
  times: number,
  usual: fc.Arbitrary<Value>,
  rare: fc.Arbitrary<Value>,
): fc.Arbitrary<Value> {
  return fc.oneof({ weight: times, arbitrary: usual }, { weight: 1, arbitrary: rare });
}

/** @returns requests to all endpoints, equally often, from nearly right ones to bytes that are no HTTP */
export function hostileRequest(
  endpoints: readonly Endpoint[],
  known: KnownFacts,
): fc.Arbitrary<HostileRequest> {
  return fc
    .tuple(fc.constantFrom(...endpoints), fc.nat(1_000))
    .chain(([endpoint, pick]) => {
      // A flipped bit could turn a host on this machine into another one.
      const breaking = Object.keys(endpoint.parameters.shape).some(namesHost) ? cutOrReframe : breakRequest;
      return fc.tuple(
        fc.constant(endpoint),
        parameters(endpoint, known, pick),
        credential(endpoint, known),
        strangeTarget(endpoint.path),
        mostly(3, fc.constant<Pairs>([]), strangeHeaders),
        transport,
        mostly<Broken | undefined>(12, fc.constant(undefined), breaking),
      );
    })
    .map(([{ path }, pairs, credentials, target, headers, carried, broken]) => {
      const given = [...pairs, ...credentials.pairs];
      const whole = carry(target, given, [...credentials.headers, ...headers], carried);
      return toRequest(path, whole, given, broken);
    });
}

/** @returns forms that an endpoint may answer with success */
export function soundRequests(endpoint: Endpoint, known: KnownFacts, pick: number): HostileRequest[] {
  const { headers } =
    endpoint.access === 'password'
      ? basic(known.administrator.name, known.administrator.password)
      : bearerOf(known);
  const method = endpoint.methods.at(-1) ?? 'GET';
  return soundParameters(endpoint, known, pick).map((given) => {
    const carriage = { method, place: 'form', type: '', chunked: false, tail: '' } as const;
    return toRequest(endpoint.path, carry(endpoint.path, given, headers, carriage), given, undefined);
  });
}

function toRequest(
  path: string,
  whole: WholeRequest,
  given: Pairs,
  broken: Broken | undefined,
): HostileRequest {
  const bytes = serialise(whole);
  return {
    path,
    method: whole.method,
    bytes: broken === undefined ? bytes : broken(bytes),
    broken: broken !== undefined,
    wishesStatus: given.some(([name]) => name.toLowerCase() === 'httperror'),
  };
}

/** @returns parameters, from all correct to all wrong */
function parameters(endpoint: Endpoint, known: KnownFacts, pick: number): fc.Arbitrary<Pairs> {
  const names = Object.keys(endpoint.parameters.shape);
  const pair = (
    name: string,
    value: fc.Arbitrary<string>,
  ): fc.Arbitrary<readonly [name: string, value: string]> => value.map((text) => [name, text] as const);
  const plausible = names.map((name) =>
    pair(name, fc.constantFrom(...plausibleValues(endpoint, name, known, pick))),
  );
  const hostile = names.map((name) => pair(name, hostileValue(name)));
  const mixed = names.map((name) =>
    pair(
      name,
      fc.oneof(fc.constantFrom(...plausibleValues(endpoint, name, known, pick)), hostileValue(name)),
    ),
  );
  const some = (pairs: typeof plausible): fc.Arbitrary<Pairs> =>
    fc
      .tuple(fc.tuple(...pairs), fc.infiniteStream(fc.nat(3)))
      .map(([all, coins]) => all.filter(() => coins.next().value !== 0));
  const one = fc.oneof(
    { weight: 4, arbitrary: strangeName.chain((name) => pair(name, hostileValue(name))) },
    pair('httperror', fc.constantFrom('400', '418', '503', '599', '200', 'x', '')),
    pair('qr', fc.constantFrom('png', 'img', 'html', '1')),
  );
  const strange = fc.array(one, { maxLength: 3 });
  const sound = soundParameters(endpoint, known, pick);
  return fc.oneof(
    { weight: 3, arbitrary: fc.tuple(...plausible) },
    { weight: 2, arbitrary: fc.constantFrom(...sound) },
    { weight: 5, arbitrary: fc.constantFrom(...sound).chain(withOneWrong) },
    { weight: 3, arbitrary: some(plausible) },
    { weight: 4, arbitrary: fc.tuple(some(mixed), strange).map((both) => both.flat()) },
    { weight: 3, arbitrary: fc.tuple(some(hostile), strange).map((both) => both.flat()) },
  );
}

/** A hostile value goes furthest where all others are right. */
function withOneWrong(pairs: Pairs): fc.Arbitrary<Pairs> {
  return fc
    .nat({ max: Math.max(0, pairs.length - 1) })
    .chain((place) =>
      hostileValue(pairs[place]?.[0] ?? '').map((value) =>
        pairs.map(([name, right], at) => [name, at === place ? value : right] as const),
      ),
    );
}

interface Credential {
  readonly headers: Pairs;
  readonly pairs: Pairs;
}

const basic = (name: string, password: string): Credential => ({
  headers: [['Authorization', `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`]],
  pairs: [],
});

const bearerOf = ({ apiToken }: KnownFacts): Credential => ({
  headers: [['Authorization', `Bearer ${apiToken}`]],
  pairs: [],
});

/** Mostly an administrator's: more code is behind the authentication than before it. */
function credential({ path, access }: Endpoint, known: KnownFacts): fc.Arbitrary<Credential> {
  const { administrator, session: usual, spareSession, login } = known;
  const closing = path === '/admin/dropsession' || path === '/admin/logout';
  const session = closing ? spareSession : usual;
  const bearer = bearerOf(known);
  const bySession: Credential = {
    headers: [['Cookie', `admin_session=${session}`]],
    pairs: [['session', session]],
  };
  const cookie = `a=b; access_token_cookie=${login.token}; c`;
  const byLogin: Credential = {
    headers: [
      ['Cookie', cookie],
      ['X-CSRF-TOKEN', login.csrfToken],
    ],
    pairs: [],
  };
  const hostile = fc
    .tuple(headerText, fc.constantFrom('Basic ', 'Bearer ', 'Digest ', '', 'basic'))
    .map(([text, scheme]): Credential => ({
      headers: [
        ['Authorization', scheme + text],
        ['Cookie', `admin_session=${text}; admin_session=x; access_token_cookie=${text}`],
      ],
      pairs: [['session', text]],
    }));
  const right = basic(administrator.name, administrator.password);
  return fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(bearer, bySession, closing ? bearer : byLogin) },
    { weight: access === 'open' ? 6 : 1, arbitrary: fc.constant<Credential>({ headers: [], pairs: [] }) },
    hostile,
    {
      weight: access === 'password' ? 12 : 0,
      arbitrary: fc.constantFrom(right, right, basic('nobody', 'wrong')),
    },
  );
}

const headerText: fc.Arbitrary<string> = fc.string({
  unit: fc
    .integer({ min: 0x20, max: 0xff })
    .filter((code) => code !== 0x7f)
    .map((code) => String.fromCharCode(code)),
  maxLength: 60,
});

// prettier-ignore
function strangeTarget(path: string): fc.Arbitrary<string> {
  return mostly(30, fc.constant(path), fc.constantFrom(
    `${path}/`, `/${path}`, path.toUpperCase(), `${path}%2f`, `${path};x=1`, `/.${path}`, `/x/..${path}`,
    `${path}/%ff`, `/%`, '/%00', '/__proto__', '/constructor', `http://other.invalid${path}`, `${path}#x`, '/',
    '*', '/admin', '/../../etc/shadow', `/${'x'.repeat(4_000)}`, `/${'../../'.repeat(500)}`, '/%e2%82', '//',
    '/\\',
  ));
}

type Place = 'query' | 'form' | 'json' | 'multipart' | 'both' | 'other';

/** The form in which parameters are sent. */
interface Carriage {
  readonly method: string;
  readonly place: Place;
  readonly type: string;
  readonly chunked: boolean;
  /** Appended to the query or the body, even if it breaks it. */
  readonly tail: string;
}

// prettier-ignore
const TAILS = [
  '%', '%zz=1', '&%c3%28=x', '&a=%ed%a0%80', '&&&=', '&=&', '?x=%00', '&a=\xff\xfe', '+', '&x', '}', ']]',
  ',"__proto__":{"a":1}}', '\0', ' ',
];
const METHODS = ['HEAD', 'OPTIONS', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'PROPFIND', 'QUERY', 'M-SEARCH'];
// prettier-ignore
const TYPES = [
  '; charset=utf-8', '; charset="UTF-8"', '; charset=utf-16', '; charset=latin1', '; charset=', ';;;',
  '; boundary=', '; boundary=x; boundary=y', ', text/xml',
];

const transport: fc.Arbitrary<Carriage> = fc.record({
  method: mostly(24, fc.constantFrom('GET', 'POST', 'POST'), fc.constantFrom(...METHODS)),
  place: mostly<Place>(
    8,
    fc.constantFrom('form', 'json', 'multipart'),
    fc.constantFrom('query', 'both', 'other'),
  ),
  type: mostly(12, fc.constant(''), fc.constantFrom(...TYPES)),
  chunked: fc.boolean(),
  tail: mostly(14, fc.constant(''), fc.constantFrom(...TAILS)),
});

const MAX_QUERY_LENGTH = 12_000;

function carry(target: string, given: Pairs, headers: Pairs, carriage: Carriage): WholeRequest {
  const { method, tail, chunked, type } = carriage;
  const query = encodeForm(given);
  // Longer ones are refused with 431 before anything else; headers cover that case.
  const inQuery = method !== 'POST' && query.length < MAX_QUERY_LENGTH;
  const place = inQuery ? 'query' : carriage.place;
  const usual: Pairs = [['Host', 'fuzz.invalid'], ...headers];
  const requested = `${target}?${query}${tail.replaceAll(/[\0 ]/g, '%20')}`.slice(0, MAX_QUERY_LENGTH);
  if (place === 'query') {
    return { method, target: requested, headers: usual, body: Buffer.alloc(0), chunked: false };
  }
  const [mediaType, body] = bodyOf(place, given);
  return {
    method,
    target: place === 'both' ? requested : target,
    headers: [...usual, ['Content-Type', mediaType + type]],
    body: Buffer.concat([body, Buffer.from(tail, 'latin1')]),
    chunked,
  };
}

function bodyOf(place: Place, given: Pairs): readonly [mediaType: string, body: Buffer] {
  switch (place) {
    case 'json':
      return ['application/json', Buffer.from(jsonOf(given))];
    case 'multipart':
      return ['multipart/form-data; boundary=b0undary', encodeMultipart(given, 'b0undary', '"; filename="x')];
    case 'other':
      return [given.length % 2 === 0 ? 'text/plain' : 'application/xml', wildBytes(given.flat().join('\n'))];
    default:
      return ['application/x-www-form-urlencoded', Buffer.from(encodeForm(given))];
  }
}

/** @returns texts unchanged; some that look like a number or a list as one, or deeply nested */
function jsonOf(given: Pairs): string {
  const members = given.map(([name, value]) => {
    const bare = /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e\d+)?|true|false|null|[[{].*[\]}])$/.test(value);
    const nested = value === 'NaN' ? `${'['.repeat(20_000)}${']'.repeat(20_000)}` : undefined;
    return `${JSON.stringify(name)}:${nested ?? (bare && isJson(value) ? value : JSON.stringify(value))}`;
  });
  return `{${members.join(',')}}`;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
