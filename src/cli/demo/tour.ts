import type { DemoServer } from '../../compose/server.ts';
import type { Clock } from '../../kernel/clock.ts';
import { safeLines, safeText } from '../../kernel/text.ts';
import { CliFailure } from '../cli-failure.ts';
import type { CliDependencies } from '../dependencies.ts';
import { type DeviceState, emptyDeviceState } from '../device/device-file.ts';
import { drawQrText } from '../device/qr-code.ts';
import { type DeviceAnswer, VirtualDevice } from '../device/virtual-device.ts';
import { applyStyle } from '../output.ts';
import {
  assertAnswer,
  compactJson,
  curlLine,
  type DemoRequest,
  sendDemoRequest,
  type Expectation,
} from './exchange.ts';
import { type DemoPlan, type PlannedToken, TOUR_USER } from './demo-content.ts';

const WIDEST = 110;
/** Longer than the URLs of QR codes, shorter than pictures. */
const MAX_TEXT_LENGTH = 600;
const SHORTENED = 60;

/** Takes the steps of the tour: prints each request with its answer, checks it, and lets the virtual app read its code. */
export class Tour {
  readonly #dependencies: CliDependencies;
  readonly #server: Pick<DemoServer, 'baseUrl' | 'adminPassword'>;
  #app: DeviceState;
  #seen: Seen = { serial: '', transactionId: '', response: '' };

  constructor(
    dependencies: CliDependencies,
    server: Pick<DemoServer, 'baseUrl' | 'adminPassword'>,
    activationCode: string,
  ) {
    this.#dependencies = dependencies;
    this.#server = server;
    this.#app = { ...emptyDeviceState(), activationCode };
  }

  /** The whole state of the app. */
  get app(): DeviceState {
    return this.#app;
  }

  /** @throws CliFailure when an answer is not as expected */
  async take(steps: readonly TourStep[]): Promise<void> {
    const { io } = this.#dependencies;
    for (const [place, { title, intro, request, expected, code, isDrawn }] of steps.entries()) {
      this.#write(`\n${applyStyle('bold', `${place + 1}. ${title}`, io.color)}`);
      if (intro !== undefined) {
        this.#say(intro);
      }
      const asked = request(this.#seen);
      const { status, body } = await this.#ask(asked);
      try {
        assertAnswer(status, 200, 'HTTP status');
        assertAnswer(body, expected(this.#seen));
      } catch (error) {
        throw error instanceof CliFailure
          ? new CliFailure(`step ${place + 1} (${asked.path}) went wrong: ${error.message}`)
          : error;
      }
      const { detail = {} } = body as { readonly detail?: Readonly<Record<string, string>> };
      const { serial = this.#seen.serial, transactionid: transactionId = this.#seen.transactionId } = detail;
      this.#seen = { ...this.#seen, serial, transactionId };
      if (code !== undefined) {
        await this.#scan(detail[code] ?? '', isDrawn === true);
      }
    }
  }

  async #ask(request: DemoRequest): ReturnType<typeof sendDemoRequest> {
    const { io, fetch } = this.#dependencies;
    const { baseUrl, adminPassword } = this.#server;
    this.#write(`   ${applyStyle('cyan', `$ ${curlLine(request, baseUrl, adminPassword)}`, io.color)}`);
    const answer = await sendDemoRequest(fetch, this.#server, request);
    const { body } = answer;
    const width = Math.min(io.columns, WIDEST) - 3;
    this.#say(safeLines(typeof body === 'string' ? body : compactJson(shorten(body), width)));
    return answer;
  }

  /** Lets the app read a code, and prints its screen. */
  async #scan(url: string, isDrawn: boolean): Promise<void> {
    const { io, clock } = this.#dependencies;
    if (isDrawn) {
      this.#say(await drawQrText(url, io));
    }
    const { state, answer } = await scanByApp(clock, this.#app, url);
    this.#app = state;
    this.#say(`[app] ${safeText(screenText(answer))}`);
    if (answer.kind !== 'init') {
      this.#seen = { ...this.#seen, response: answer.response };
    }
  }

  #say(text: string): void {
    this.#write(`   ${text.replaceAll('\n', '\n   ')}`);
  }

  #write(text: string): void {
    this.#dependencies.io.stdout.write(`${text}\n`);
  }
}

function scanByApp(clock: Clock, app: DeviceState, url: string): ReturnType<VirtualDevice['scan']> {
  return new VirtualDevice({ clock }).scan(app, url, {
    activationCode: (kept) => Promise.resolve(kept ?? ''),
    ocraPin: () => Promise.resolve(''),
  });
}

function screenText(answer: DeviceAnswer): string {
  return answer.kind === 'init'
    ? `${answer.serial} is here; waiting for the second code`
    : `${answer.serial}, signature right: "${answer.message}", response ${answer.response}`;
}

/** @returns the answer with pictures truncated */
function shorten(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body), (_key, value: unknown) =>
    typeof value === 'string' && value.length > MAX_TEXT_LENGTH
      ? `${value.slice(0, SHORTENED)}… (${value.length} characters)`
      : value,
  ) as unknown;
}

/** The facts of earlier answers. */
interface Seen {
  readonly serial: string;
  readonly transactionId: string;
  /** The last response of the app. */
  readonly response: string;
}

/** A step of the tour: a request, and the answer that it must get. */
interface TourStep {
  readonly title: string;
  /** A text before the request. */
  readonly intro?: string;
  readonly request: (seen: Seen) => DemoRequest;
  readonly expected: (seen: Seen) => Expectation;
  /** The member of the answer's `detail` that holds a code, which the app reads. */
  readonly code?: string;
  /** Draws the code. */
  readonly isDrawn?: true;
}

/**
 * @param plan the content of the database before the tour; the expected counts come from it, not from the server's code
 * @param activationCode the code of the app
 * @returns the roll-out of a token, a challenge that is answered wrongly, rightly and once again, and all six reports of
 *   monitoring
 */
export function tourSteps(plan: DemoPlan, activationCode: string): readonly TourStep[] {
  // The tour rolls out one token more.
  const token = { serial: '', owner: TOUR_USER, realms: [TOUR_USER.realm], active: true };
  const content = { ...plan, tokens: [...plan.tokens, token] };
  return [...rollOut(activationCode), ...challenge(), ...monitoring(content)];
}

const USER = { user: TOUR_USER.login, realm: TOUR_USER.realm };
const INIT = { type: 'ocra', genkey: '1', ...USER };

function rollOut(activationCode: string): readonly TourStep[] {
  return [
    {
      title: `Roll-out, phase 1: a shared secret for ${TOUR_USER.login}`,
      request: () => asAdministrator('POST', '/admin/init', { ...INIT, sharedsecret: '1' }),
      expected: () => ({
        result: { status: true },
        detail: { serial: isText, app_import: startsWith('lseqr://init?') },
      }),
      code: 'app_import',
    },
    {
      title: 'Roll-out, phase 2: a nonce, signed; the key comes of secret, nonce and activation code',
      intro: `${TOUR_USER.login} has got the activation code ${activationCode} on paper and types it into the app.`,
      request: () =>
        asAdministrator('POST', '/admin/init', {
          ...INIT,
          activationcode: activationCode,
          message: 'Welcome',
        }),
      expected: () => ({
        result: { status: true },
        detail: { transactionid: isText, app_import: startsWith('lseqr://nonce?') },
      }),
      code: 'app_import',
    },
    responseStep('The first response completes the roll-out', (response) => response, [true, 0]),
  ];
}

function challenge(): readonly TourStep[] {
  return [
    {
      title: 'A challenge, to be shown as a QR code',
      request: () => asAdministrator('POST', '/ocra/request', { ...USER, data: 'Pay 120 EUR to Bert?' }),
      expected: () => ({
        result: { status: true, value: false },
        detail: { data: isText, transactionid: isText },
      }),
      code: 'data',
      isDrawn: true,
    },
    responseStep('A wrong response is counted', otherThan, [false, 1]),
    responseStep('The right response is accepted', (response) => response, [true, 0]),
    responseStep('The same response again is refused', (response) => response, [false, 0]),
    {
      title: 'What became of the transaction',
      request: ({ transactionId }) =>
        asAdministrator('GET', '/ocra/checkstatus', { transactionid: transactionId }),
      expected: ({ serial, transactionId: transactionid }) => ({
        result: {
          status: true,
          value: [{ serial, transactionid, received_tan: true, valid_tan: true, failcount: 0 }],
        },
      }),
    },
  ];
}

function monitoring(plan: DemoPlan): readonly TourStep[] {
  const statuses = ['assigned', 'unassigned&inactive'];
  const rows = (data: readonly CountRow[]): Expectation => ({ result: { status: true, head: [], data } });
  const value = (expected: Expectation): Expectation => ({ result: { status: true, value: expected } });
  const reports: readonly (readonly [string, string, Expectation, Record<string, string>?])[] = [
    [
      'tokens by realm and status',
      'tokens',
      rows(expectedTokenRows(plan, statuses)),
      { status: statuses.join(',') },
    ],
    ['users by realm and resolver', 'userinfo', rows(expectedUserRows(plan))],
    ['users who own an active token', 'activeUsers', rows(expectedActiveUserRows(plan))],
    ['is the configuration in step with the database?', 'config', value({ sync: 'True' })],
    ['support', 'license', value({ support: 'community support' })],
    ['are secrets encrypted before they are stored?', 'storageEncryption', value(true)],
  ];
  return reports.map(([what, name, expected, parameters = {}]) => ({
    title: `Monitoring: ${what}`,
    request: () => asAdministrator('GET', `/monitoring/${name}`, parameters),
    expected: () => expected,
  }));
}

function responseStep(
  title: string,
  typed: (response: string) => string,
  [result, failcount]: readonly [boolean, number],
): TourStep {
  return {
    title,
    request: ({ transactionId, response }) => ({
      method: 'POST',
      path: '/ocra/check_t',
      asAdministrator: false,
      parameters: { transactionid: transactionId, pass: typed(response) },
    }),
    expected: () => ({ result: { status: true, value: { result, failcount } } }),
  };
}

function asAdministrator(
  method: DemoRequest['method'],
  path: string,
  parameters: DemoRequest['parameters'],
): DemoRequest {
  return { method, path, parameters, asAdministrator: true };
}

function isText(actual: unknown): boolean {
  return typeof actual === 'string' && actual !== '';
}

function startsWith(beginning: string): (actual: unknown) => boolean {
  return (actual) => typeof actual === 'string' && actual.startsWith(beginning);
}

/** @returns the response with its first digit changed */
function otherThan(response: string): string {
  return `${(Number(response.charAt(0)) + 1) % 10}${response.slice(1)}`;
}

/** A row of a monitoring answer. */
type CountRow = readonly [string, string, number];

const STATUSES: Readonly<Record<string, (token: PlannedToken) => boolean>> = {
  assigned: ({ owner }) => owner !== null,
  unassigned: ({ owner }) => owner === null,
  active: ({ active }) => active,
  inactive: ({ active }) => !active,
};

/**
 * @param statuses as the request names them, `unassigned&inactive` for both at once
 * @returns rows of /monitoring/tokens
 */
export function expectedTokenRows({ realms, tokens }: DemoPlan, statuses: readonly string[]): CountRow[] {
  const names = realms.map(({ name }) => name);
  const groups = [
    ...names.map((name): [string, PlannedToken[]] => [
      name,
      tokens.filter((token) => token.realms.includes(name)),
    ]),
    ['Summary', tokens.filter((token) => token.realms.some((realm) => names.includes(realm)))] as const,
  ];
  return groups.flatMap(([name, group]): CountRow[] => [
    [name, 'total', group.length],
    [name, 'total users', activeOwners(group).size],
    ...statuses.map((status): CountRow => [
      name,
      status,
      group.filter((token) => hasStatus(token, status)).length,
    ]),
  ]);
}

/** @returns rows of /monitoring/userinfo */
export function expectedUserRows({ realms }: DemoPlan): CountRow[] {
  return realms.map(({ name, resolver, logins }) => [name, resolver, logins.length]);
}

/** @returns rows of /monitoring/activeUsers */
export function expectedActiveUserRows({ realms, tokens }: DemoPlan): CountRow[] {
  const rows = realms.map(({ name, resolver, logins }): CountRow => {
    const owners = activeOwners(tokens.filter((token) => token.realms.includes(name)));
    return [name, resolver, logins.filter((login) => owners.has(login)).length];
  });
  return [...rows, ['Total', '', activeOwners(tokens.filter((token) => token.realms.length > 0)).size]];
}

/** Logins are unique over both resolvers of the plan. */
function activeOwners(tokens: readonly PlannedToken[]): ReadonlySet<string> {
  return new Set(tokens.flatMap(({ active, owner }) => (active && owner !== null ? [owner.login] : [])));
}

function hasStatus(token: PlannedToken, status: string): boolean {
  return status.split('&').every((name) => STATUSES[name]?.(token) === true);
}
