import { type DeviceState, emptyDeviceState } from '../../src/cli/device/device-file.ts';
import { declineCode, type DeviceAnswer, readByApp } from '../../src/cli/device/virtual-device.ts';
import type { Clock } from '../../src/kernel/clock.ts';
import type { DeclineKind } from '../../src/ocra/decline.ts';

/** The app of a customer: the virtual device, which sends its responses itself. */
export class PortalPhone {
  readonly #clock: Clock;
  #state: DeviceState = emptyDeviceState();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @returns the display of the app */
  async scan(code: string, activationCode = ''): Promise<DeviceAnswer> {
    const { state, answer } = await readByApp(this.#clock, this.#state, code, {
      activationCode: () => Promise.resolve(activationCode),
      ocraPin: () => Promise.resolve(''),
    });
    this.#state = state;
    return answer;
  }

  /** Scans a challenge. @returns the request that the app sends */
  async respond(code: string, activationCode?: string): Promise<AppResponse> {
    const answer = await this.scan(code, activationCode);
    if (answer.kind === 'init') {
      throw new Error('This code has no challenge');
    }
    const { message, callbackUrl, transactionId, response } = answer;
    return { message, url: callbackUrl, fields: { transactionid: transactionId, pass: response } };
  }

  /** Scans a challenge and confirms it. @returns the display of the app, and whether the server took the response */
  async confirm(code: string, activationCode?: string): Promise<{ message: string; accepted: boolean }> {
    const response = await this.respond(code, activationCode);
    return { message: response.message, accepted: await send(response) };
  }

  /** Declines a challenge, and tells the server. */
  async decline(code: string, kind: DeclineKind): Promise<void> {
    const { callbackUrl, transactionId, decline } = declineCode(this.#state, code, kind);
    const body = new URLSearchParams({ transactionid: transactionId, decline });
    await fetch(callbackUrl, { method: 'POST', body });
  }
}

/** The body that the app sends to `u`. */
export interface AppResponse {
  readonly message: string;
  readonly url: string;
  readonly fields: { readonly transactionid: string; readonly pass: string };
}

/** @returns true if the server accepted it */
export async function send({ url, fields }: Pick<AppResponse, 'url' | 'fields'>): Promise<boolean> {
  const answer = await fetch(url, { method: 'POST', body: new URLSearchParams(fields) });
  const { result } = (await answer.json()) as { result: { value: { result: boolean } } };
  return result.value.result;
}
