import { join } from 'node:path';
import type { CommandContext } from '../command-context.ts';
import type { Output } from '../output.ts';
import { safeText } from '../../kernel/text.ts';
import { drawQrText } from './qr-code.ts';

/** Shows QR codes on the terminal, to a phone or to the virtual device. */
export class CodeReader {
  readonly #context: CommandContext;
  readonly #output: Output;
  readonly #isVirtual: boolean;

  /** @param isVirtual the virtual device reads the codes, and shows its responses */
  constructor(context: CommandContext, output: Output, isVirtual: boolean) {
    this.#context = context;
    this.#output = output;
    this.#isVirtual = isVirtual;
  }

  /** To be called before a token or a challenge is made. @throws CliFailure if the virtual device cannot keep it */
  async requireDevice(): Promise<void> {
    if (this.#isVirtual) {
      const { requireWritableDevice } = await import('./device-file.ts');
      await requireWritableDevice(defaultDeviceFile(this.#context));
    }
  }

  /** @param activationCode the text that the user types into the app, for the code of the second roll-out phase */
  async show(url: string, activationCode = ''): Promise<void> {
    const { io } = this.#context.dependencies;
    this.#output.say(await drawQrText(url, io));
    if (this.#isVirtual) {
      await this.#read(url, activationCode);
    }
  }

  /** Waits until the code is read. */
  async awaitReading(): Promise<void> {
    if (!this.#isVirtual) {
      await this.#context.dependencies.io.readLine('Read the code with the app, then press Enter: ');
    }
  }

  async #read(url: string, activationCode: string): Promise<void> {
    const { deviceScreen, readByDevice } = await import('./virtual-device.ts');
    const answer = await readByDevice(this.#context, defaultDeviceFile(this.#context), url, {
      activationCode: () => Promise.resolve(activationCode),
      ocraPin: (serial) =>
        this.#context.knownSecret(`OCRA PIN of ${safeText(serial)}`, '--ocra-pin-file', undefined),
    });
    this.#output.say(deviceScreen(answer));
  }
}

/** @returns the file of the virtual device, unless an option names another one */
export function defaultDeviceFile({ dependencies }: CommandContext): string {
  return join(dependencies.homeFolder, '.tankeeper-device.json');
}
