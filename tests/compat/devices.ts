import { computeResponse, timeStepAt } from '../../src/ocra/compute.ts';
import { deriveTokenKey } from '../../src/ocra/key-derivation.ts';
import { verifyQrTanSignature } from '../../src/ocra/qrtan-url.ts';
import { type OcraSuite, parseOcraSuite } from '../../src/ocra/suite.ts';
import type { OcraRecording } from './ocra-recordings.ts';

/** Further than any recorded device is ahead. */
const MAX_COUNTERS = 1_100;
const MAX_STEPS = 20n;

type TokenOfRecording = NonNullable<OcraRecording['token']>;

/** The position of a device when it computed a response. */
interface Position {
  readonly counter: bigint;
  readonly timeStep: bigint | undefined;
}

/** The devices of this run: they answer our challenges as the recorded ones answered LinOTP's. */
export class Devices {
  readonly #sharedSecrets = new Map<string, string>();
  readonly #keys = new Map<string, Buffer>();
  /** Recorded transaction id to the recorded question, and ours. */
  readonly #questions = new Map<string, { recorded: string; ours: string }>();

  /** Takes what an answer tells a device: shared secret, nonce, question. */
  async read(recorded: string, ours: string, { token }: OcraRecording): Promise<void> {
    const serial = memberOf(ours, 'serial');
    const sharedSecret = memberOf(ours, 'sharedsecret');
    const nonce = memberOf(ours, 'nonce');
    if (serial !== undefined && sharedSecret !== undefined) {
      this.#sharedSecrets.set(serial, sharedSecret);
    }
    if (serial !== undefined && nonce !== undefined) {
      this.#keys.set(serial, await this.#derive(serial, nonce, token?.activationcode));
    }
    const [transactionId, recordedQuestion] = [
      memberOf(recorded, 'transactionid'),
      memberOf(recorded, 'challenge'),
    ];
    const question = memberOf(ours, 'challenge');
    if (transactionId !== undefined && recordedQuestion !== undefined && question !== undefined) {
      this.#questions.set(transactionId, { recorded: recordedQuestion, ours: question });
    }
  }

  async #derive(serial: string, nonce: string, activationCode = 'GEZDGNBVGY3TQOJQ01'): Promise<Buffer> {
    return Buffer.from(
      await deriveTokenKey({
        sharedSecret: Buffer.from(this.#sharedSecrets.get(serial) ?? '', 'hex'),
        activationCode,
        nonce: Buffer.from(nonce, 'hex'),
      }),
    );
  }

  /**
   * @param serial of our token
   * @returns true if our device refuses the signature of a code in the answer
   */
  refuses(ours: string, serial: string, { token }: OcraRecording): boolean {
    const url = /"(?:data|app_import)": "(lseqr:[^"]*&si=[^"]*)"/.exec(ours)?.[1];
    if (token === undefined || url === undefined) {
      return false;
    }
    const key = this.#keys.get(serial) ?? Buffer.from(token.key, 'hex');
    return !verifyQrTanSignature(parseOcraSuite(token.suite), key, url);
  }

  /**
   * @param pass as it was recorded: a PIN and a response
   * @param serial of our token
   * @param at the time of the recording
   * @returns `pass` with the response of our device at the same counter and time in the place of a right one; a
   *   response that was never right stays
   */
  answer(token: TokenOfRecording, transactionId: string, pass: string, serial: string, at: Date): string {
    const question = this.#questions.get(transactionId);
    const suite = parseOcraSuite(token.suite);
    if (question === undefined || suite.truncation === 0 || suite.session !== undefined) {
      return pass;
    }
    const response = pass.slice(-suite.truncation);
    const recordedKey = Buffer.from(token.key, 'hex');
    const pin = token.ocrapin ?? '';
    for (const position of positions(suite, at)) {
      if (
        computeResponse(suite, recordedKey, { ...position, pin, question: question.recorded }) === response
      ) {
        const key = this.#keys.get(serial) ?? recordedKey;
        const ours = computeResponse(suite, key, { ...position, pin, question: question.ours });
        return pass.slice(0, pass.length - response.length) + ours;
      }
    }
    return pass;
  }

  /** As `answer`, where a row that we wrote says what the device does. */
  answerAt(
    token: TokenOfRecording,
    device: NonNullable<OcraRecording['device']>,
    pass: string,
    serial: string,
    at: Date,
  ): string {
    const suite = parseOcraSuite(token.suite);
    const question = this.#questions.get(device.transactionid)?.ours ?? '';
    const key = this.#keys.get(serial) ?? Buffer.from(token.key, 'hex');
    const response = computeResponse(suite, key, { ...positionOf(suite, device, at), question });
    return pass.slice(0, pass.length - response.length) + response;
  }
}

/** The position of a device that is so many seconds off. */
function positionOf(
  suite: OcraSuite,
  { counter = 0, seconds = 0 }: NonNullable<OcraRecording['device']>,
  at: Date,
): Position {
  return {
    counter: BigInt(counter),
    timeStep: timeStepAt(suite, new Date(at.getTime() + seconds * 1000)),
  };
}

function* positions(suite: OcraSuite, at: Date): Generator<Position> {
  const now = timeStepAt(suite, at);
  if (now === undefined) {
    for (let counter = 0; counter < (suite.counter ? MAX_COUNTERS : 1); counter += 1) {
      yield { counter: BigInt(counter), timeStep: undefined };
    }
    return;
  }
  for (let step = now - MAX_STEPS; step <= now + MAX_STEPS; step += 1n) {
    yield { counter: 0n, timeStep: step };
  }
}

function memberOf(json: string, name: string): string | undefined {
  return new RegExp(`"${name}": "([^"]*)"`).exec(json)?.[1];
}
