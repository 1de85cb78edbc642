import type { Clock } from '../../kernel/clock.ts';
import { CliFailure } from '../cli-failure.ts';
import type { DeviceState } from '../device/device-file.ts';
import { type DeviceAnswer, VirtualDevice } from '../device/virtual-device.ts';
import { safeText } from '../../kernel/terminal-text.ts';
import type { DemoGuide } from './demo-guide.ts';

/** The virtual app of the tour: keeps its state and prints its screen. */
export class DemoPhone {
  readonly #guide: DemoGuide;
  readonly #device: VirtualDevice;
  #state: DeviceState;

  constructor(guide: DemoGuide, clock: Clock, state: DeviceState) {
    this.#guide = guide;
    this.#device = new VirtualDevice({ clock });
    this.#state = state;
  }

  /** The app's whole state. */
  get state(): DeviceState {
    return this.#state;
  }

  /** Scans a QR code and prints the app's screen. */
  async scan(url: string): Promise<DeviceAnswer> {
    const { state, answer } = await this.#device.scan(this.#state, url, {
      activationCode: (kept) => Promise.resolve(kept ?? ''),
      ocraPin: () => Promise.resolve(''),
    });
    this.#state = state;
    this.#guide.say(`[app] ${safeText(screenText(answer))}`);
    return answer;
  }

  /** Scans the QR code of a challenge. @returns the response */
  async respond(url: string): Promise<string> {
    const answer = await this.scan(url);
    if (answer.kind === 'init') {
      throw new CliFailure('the code is not one of a challenge');
    }
    return answer.response;
  }
}

function screenText(answer: DeviceAnswer): string {
  return answer.kind === 'init'
    ? `${answer.serial} is here; waiting for the second code`
    : `${answer.serial}, signature right: "${answer.message}", response ${answer.response}`;
}
