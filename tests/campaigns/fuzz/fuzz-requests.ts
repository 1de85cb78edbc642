import fc from 'fast-check';
import { type Broken, breakRequest, cutOrReframe } from './fuzz-wire.ts';
import type { FuzzedEndpoint } from './fuzz-values.ts';
import { strangeHeaders } from './fuzz-wire.ts';
import { hostileValue, namesHost, strangeName } from './fuzz-values.ts';
import { type KnownFacts, plausibleValue, soundParameters } from './fuzz-values.ts';
import {
  encodeForm,
  encodeMultipart,
  type Pairs,
  serialise,
  wildBytes,
  type WholeRequest,
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

/** @returns requests to all endpoints, equally often, from nearly right ones to bytes that are no HTTP */
export function hostileRequest(
  endpoints: readonly FuzzedEndpoint[],
  known: KnownFacts,
): fc.Arbitrary<HostileRequest> {
  return fc
    .tuple(fc.constantFrom(...endpoints), fc.nat(1_000))
    .chain(([endpoint, pick]) =>
      fc.tuple(
        fc.constant(endpoint),
        parameters(endpoint, known, pick),
        credential(endpoint, known),
        strangeTarget(endpoint.path),
        fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: strangeHeaders }),
        transport(endpoint),
        fc.oneof(
          { weight: 12, arbitrary: fc.constant(undefined) },
          // A flipped bit could turn a host on this machine into another one.
          { weight: 1, arbitrary: endpoint.parameters.some(namesHost) ? cutOrReframe : breakRequest },
        ),
      ),
    )
    .map(([endpoint, pairs, credentials, target, headers, carried, broken]) => {
      const given = [...pairs, ...credentials.pairs];
      const whole = carry(target, given, [...credentials.headers, ...headers], carried);
      return toRequest(endpoint, whole, given, broken);
    });
}

/** @returns a correct request to each endpoint, as a form; what removes things comes last: others name the same */
export function soundRequests(
  endpoints: readonly FuzzedEndpoint[],
  known: KnownFacts,
): readonly HostileRequest[] {
  const removesLast = [false, true].flatMap((isLast) =>
    endpoints.filter(({ path }) => path.endsWith('/remove') === isLast),
  );
  return removesLast.map((endpoint, at) => {
    const given = soundParameters(endpoint.path, endpoint.parameters, known, at);
    const { headers } = endpoint.byPassword
      ? basic(known.administrator.name, known.administrator.password)
      : bearerOf(known);
    const carriage = {
      method: endpoint.methods[1] ?? endpoint.methods[0] ?? 'GET',
      type: '',
      chunked: false,
      tail: '',
    };
    return toRequest(
      endpoint,
      carry(endpoint.path, given, headers, { ...carriage, place: 'form' }),
      given,
      undefined,
    );
  });
}

function toRequest(
  { path }: FuzzedEndpoint,
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
function parameters(
  { path, parameters: names }: FuzzedEndpoint,
  known: KnownFacts,
  pick: number,
): fc.Arbitrary<Pairs> {
  const pair = (name: string, value: fc.Arbitrary<string>): fc.Arbitrary<readonly [string, string]> =>
    value.map((text) => [name, text] as const);
  const plausible = names.map((name) => pair(name, plausibleValue(path, name, known, pick)));
  const hostile = names.map((name) => pair(name, hostileValue(name)));
  const mixed = names.map((_, at) =>
    fc.oneof(plausible[at] ?? fc.constant(NOTHING), hostile[at] ?? fc.constant(NOTHING)),
  );
  const some = (pairs: typeof plausible): fc.Arbitrary<Pairs> =>
    fc
      .tuple(fc.tuple(...pairs), fc.infiniteStream(fc.nat(3)))
      .map(([all, coins]) => all.filter(() => coins.next().value !== 0));
  const strange = fc.array(
    fc.oneof(
      { weight: 4, arbitrary: strangeName.chain((name) => pair(name, hostileValue(name))) },
      {
        weight: 1,
        arbitrary: pair('httperror', fc.constantFrom('400', '418', '503', '599', '200', 'x', '')),
      },
      { weight: 1, arbitrary: pair('qr', fc.constantFrom('png', 'img', 'html', '1')) },
    ),
    { maxLength: 3 },
  );
  return fc.oneof(
    { weight: 3, arbitrary: fc.tuple(...plausible) },
    { weight: 2, arbitrary: fc.constant(soundParameters(path, names, known, pick)) },
    { weight: 3, arbitrary: some(plausible) },
    { weight: 4, arbitrary: fc.tuple(some(mixed), strange).map((both) => both.flat()) },
    { weight: 2, arbitrary: fc.tuple(some(hostile), strange).map((both) => both.flat()) },
    { weight: 1, arbitrary: fc.tuple(some(hostile), some(mixed), strange).map((all) => all.flat()) },
  );
}

const NOTHING = ['', ''] as const;

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
function credential({ path, byPassword, open }: FuzzedEndpoint, known: KnownFacts): fc.Arbitrary<Credential> {
  const { administrator, session: usual, spareSession, login } = known;
  const closing = path === '/admin/dropsession' || path === '/admin/logout';
  const session = closing ? spareSession : usual;
  const bearer = bearerOf(known);
  const bySession: Credential = {
    headers: [['Cookie', `admin_session=${session}`]],
    pairs: [['session', session]],
  };
  const byLogin: Credential = closing
    ? bearer
    : {
        headers: [
          ['Cookie', `a=b; access_token_cookie=${login.token}; c`],
          ['X-CSRF-TOKEN', login.csrfToken],
        ],
        pairs: [],
      };
  const none: Credential = { headers: [], pairs: [] };
  const hostile = fc
    .tuple(headerText, fc.constantFrom('Basic ', 'Bearer ', 'Digest ', '', 'basic'))
    .map(([text, scheme]): Credential => ({
      headers: [
        ['Authorization', scheme + text],
        ['Cookie', `admin_session=${text}; admin_session=x; access_token_cookie=${text}`],
      ],
      pairs: [['session', text]],
    }));
  const password = byPassword ? 12 : 0;
  return fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(bearer, bySession, byLogin) },
    { weight: open ? 6 : 1, arbitrary: fc.constant(none) },
    { weight: 1, arbitrary: hostile },
    { weight: password, arbitrary: fc.constant(basic(administrator.name, administrator.password)) },
    { weight: byPassword ? 1 : 0, arbitrary: fc.constant(basic('nobody', 'wrong')) },
  );
}

const headerText: fc.Arbitrary<string> = fc.string({
  unit: fc
    .integer({ min: 0x20, max: 0xff })
    .filter((code) => code !== 0x7f)
    .map((code) => String.fromCharCode(code)),
  maxLength: 60,
});

function strangeTarget(path: string): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 30, arbitrary: fc.constant(path) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        `${path}/`,
        `/${path}`,
        path.toUpperCase(),
        `${path}%2f`,
        `${path};x=1`,
        `/.${path}`,
        `/x/..${path}`,
        `${path}/%ff`,
        `/%`,
        '/%00',
        '/__proto__',
        '/constructor',
        `http://other.invalid${path}`,
        `${path}#x`,
        '/',
        '*',
        '/admin',
        '/../../etc/shadow',
        `/${'x'.repeat(4_000)}`,
        `/${'../../'.repeat(500)}`,
        '/%e2%82',
        '//',
        '/\\',
      ),
    },
  );
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

function transport({ path }: FuzzedEndpoint): fc.Arbitrary<Carriage> {
  const posts = path === '/admin/loadtokens' || path === '/admin/login';
  return fc.record({
    method: fc.oneof(
      { weight: posts ? 2 : 10, arbitrary: fc.constant('GET') },
      { weight: 14, arbitrary: fc.constant('POST') },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          'HEAD',
          'OPTIONS',
          'PUT',
          'DELETE',
          'PATCH',
          'TRACE',
          'PROPFIND',
          'REPORT',
          'QUERY',
          'M-SEARCH',
        ),
      },
    ),
    place: fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom('form' as const, 'json' as const, 'multipart' as const) },
      { weight: 1, arbitrary: fc.constantFrom('query' as const, 'both' as const, 'other' as const) },
    ),
    type: fc.oneof(
      { weight: 12, arbitrary: fc.constant('') },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          '; charset=utf-8',
          '; charset="UTF-8"',
          '; charset=utf-16',
          '; charset=latin1',
          '; charset=',
          ';;;',
          '; boundary=',
          '; boundary=x; boundary=y',
          ', text/xml',
        ),
      },
    ),
    chunked: fc.boolean(),
    tail: fc.oneof(
      { weight: 14, arbitrary: fc.constant('') },
      { weight: 1, arbitrary: fc.constantFrom(...TAILS) },
    ),
  });
}

const MAX_QUERY_LENGTH = 12_000;

function carry(target: string, given: Pairs, headers: Pairs, carriage: Carriage): WholeRequest {
  const { method, tail, chunked, type } = carriage;
  const query = encodeForm(given);
  // Longer ones are refused with 431 before anything else; headers cover that case.
  const inQuery = method !== 'POST' && query.length < MAX_QUERY_LENGTH;
  const place = inQuery ? 'query' : carriage.place;
  const requested =
    place === 'query' || place === 'both' ? `${target}?${query}${tail.replaceAll(/[\0 ]/g, '%20')}` : target;
  const usual: Pairs = [['Host', 'fuzz.invalid'], ...headers];
  if (place === 'query') {
    return {
      method,
      target: requested.slice(0, MAX_QUERY_LENGTH),
      headers: usual,
      body: Buffer.alloc(0),
      chunked: false,
    };
  }
  const [mediaType, body] = bodyOf(place, given);
  const whole = tail === '' ? body : Buffer.concat([body, Buffer.from(tail, 'latin1')]);
  return {
    method,
    target: requested.slice(0, MAX_QUERY_LENGTH),
    headers: [...usual, ['Content-Type', mediaType + type]],
    body: whole,
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
