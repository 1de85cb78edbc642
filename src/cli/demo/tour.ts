import type { DemoServer } from '../../compose/server.ts';
import { safeLines, safeText } from '../../kernel/text.ts';
import { CliFailure } from '../cli-failure.ts';
import type { CliDependencies, Fetch } from '../dependencies.ts';
import { type DeviceState, emptyDeviceState } from '../device/device-file.ts';
import { drawQrText } from '../device/qr-code.ts';
import { type DeviceAnswer, readByApp } from '../device/virtual-device.ts';
import { applyStyle } from '../output.ts';
import { TOUR_USER } from './demo-content.ts';

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
    for (const [place, { title, intro, request, result, code, isDrawn }] of steps.entries()) {
      this.#write(`\n${applyStyle('bold', `${place + 1}. ${title}`, io.color)}`);
      if (intro !== undefined) {
        this.#say(intro);
      }
      const asked = request(this.#seen);
      const { status, body } = await this.#ask(asked);
      const fault = status === 200 ? faultOf(body, result) : `HTTP status ${status}`;
      if (fault !== undefined) {
        throw new CliFailure(`step ${place + 1} (${asked.path}) went wrong: ${fault}`);
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
    this.#say(safeLines(typeof body === 'string' ? body : readableJson(shorten(body))));
    return answer;
  }

  /** Lets the app read a code, and prints its screen. */
  async #scan(url: string, isDrawn: boolean): Promise<void> {
    const { io, clock } = this.#dependencies;
    if (isDrawn) {
      this.#say(await drawQrText(url, io));
    }
    const { state, answer } = await readByApp(clock, this.#app, url, {
      activationCode: (kept) => Promise.resolve(kept ?? ''),
      ocraPin: () => Promise.resolve(''),
    });
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

/** A step of the tour. */
interface TourStep {
  readonly title: string;
  /** A text before the request. */
  readonly intro?: string;
  readonly request: (seen: Seen) => DemoRequest;
  /** The outcome of a response, which must be this one. */
  readonly result?: boolean;
  /** The member of the answer's `detail` that holds a code, which the app reads. */
  readonly code?: string;
  /** Draws the code. */
  readonly isDrawn?: true;
}

/** @returns why the answer is not as it should be; undefined: it is */
function faultOf(body: unknown, result: boolean | undefined): string | undefined {
  const answer = (body as { readonly result?: { readonly status?: unknown; readonly value?: unknown } })
    .result;
  if (answer?.status !== true) {
    return 'the answer reports a failure';
  }
  const got = (answer.value as { readonly result?: unknown } | undefined)?.result;
  return result === undefined || got === result ? undefined : `the result is not ${result}`;
}

/**
 * @param activationCode the code of the app
 * @returns the roll-out of a token, a challenge that is answered wrongly, rightly and once again, and all six reports of
 *   monitoring
 */
export function tourSteps(activationCode: string): readonly TourStep[] {
  return [...rollOut(activationCode), ...challenge(), ...monitoring()];
}

const USER = { user: TOUR_USER.login, realm: TOUR_USER.realm };
const INIT = { type: 'ocra', genkey: '1', ...USER };

function rollOut(activationCode: string): readonly TourStep[] {
  return [
    {
      title: `Roll-out, phase 1: a shared secret for ${TOUR_USER.login}`,
      request: () => asAdministrator('POST', '/admin/init', { ...INIT, sharedsecret: '1' }),
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
      code: 'app_import',
    },
    responseStep('The first response completes the roll-out', (response) => response, true),
  ];
}

function challenge(): readonly TourStep[] {
  return [
    {
      title: 'A challenge, to be shown as a QR code',
      request: () => asAdministrator('POST', '/ocra/request', { ...USER, data: 'Pay 120 EUR to Bert?' }),
      code: 'data',
      isDrawn: true,
    },
    responseStep('A wrong response is counted', otherThan, false),
    responseStep('The right response is accepted', (response) => response, true),
    responseStep('The same response again is refused', (response) => response, false),
    {
      title: 'What became of the transaction',
      request: ({ transactionId }) =>
        asAdministrator('GET', '/ocra/checkstatus', { transactionid: transactionId }),
    },
  ];
}

const REPORTS: readonly (readonly [what: string, name: string, parameters?: Record<string, string>])[] = [
  ['tokens by realm and status', 'tokens', { status: 'assigned,unassigned&inactive' }],
  ['users by realm and resolver', 'userinfo'],
  ['users who own an active token', 'activeUsers'],
  ['is the configuration in step with the database?', 'config'],
  ['support', 'license'],
  ['are secrets encrypted before they are stored?', 'storageEncryption'],
];

function monitoring(): readonly TourStep[] {
  return REPORTS.map(([what, name, parameters = {}]) => ({
    title: `Monitoring: ${what}`,
    request: () => asAdministrator('GET', `/monitoring/${name}`, parameters),
  }));
}

function responseStep(title: string, typed: (response: string) => string, result: boolean): TourStep {
  return {
    title,
    request: ({ transactionId, response }) => ({
      method: 'POST',
      path: '/ocra/check_t',
      asAdministrator: false,
      parameters: { transactionid: transactionId, pass: typed(response) },
    }),
    result,
  };
}

function asAdministrator(
  method: DemoRequest['method'],
  path: string,
  parameters: DemoRequest['parameters'],
): DemoRequest {
  return { method, path, parameters, asAdministrator: true };
}

/** @returns the response with its first digit changed */
function otherThan(response: string): string {
  return `${(Number(response.charAt(0)) + 1) % 10}${response.slice(1)}`;
}

/** A request of the tour, sent over HTTP and shown as a curl line. */
interface DemoRequest {
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
async function sendDemoRequest(
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

/** @returns JSON for reading: lists and objects of plain values stay on one line each */
function readableJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(
    /([[{])\s+([^[\]{}]*?)\s+([\]}])/g,
    (_, open: string, items: string, close: string) =>
      open === '[' ? `[${joined(items)}]` : `${open} ${joined(items)} ${close}`,
  );
}

function joined(items: string): string {
  return items.replace(/\n\s+/g, ' ');
}
