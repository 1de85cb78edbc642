import type { DemoServer } from '../../compose/server.ts';
import type { Clock } from '../../kernel/clock.ts';
import { safeLines, safeText } from '../../kernel/text.ts';
import { CliFailure } from '../cli-failure.ts';
import type { CliDependencies } from '../dependencies.ts';
import { type DeviceState, emptyDeviceState } from '../device/device-file.ts';
import { drawQrText } from '../device/qr-code.ts';
import { type DeviceAnswer, VirtualDevice } from '../device/virtual-device.ts';
import { applyStyle } from '../output.ts';
import { assertAnswer, compactJson, curlLine, type DemoRequest, sendDemoRequest } from './exchange.ts';
import type { Seen, TourStep } from './tour-steps.ts';

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
