import type { Clock, Random } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';
import {
  deriveTokenKey,
  encodeActivationCode,
  normalizeActivationCode,
  randomActivationCode,
} from '../ocra/key-derivation.ts';
import { computeResponse, timeStepAt } from '../ocra/compute.ts';
import { bytesFromHex } from '../ocra/hex.ts';
import { parseQrTanUrl, type QrTanUrl } from '../ocra/qrtan-url.ts';
import { parseOcraSuite } from '../ocra/suite.ts';

interface CalculationInput {
  /** Hexadecimal. */
  readonly sharedsecret?: string | undefined;
  readonly activationcode?: string | undefined;
  /** Hexadecimal. */
  readonly nonce?: string | undefined;
  readonly ocrasuite?: string | undefined;
  readonly challenge?: string | undefined;
  /** Decimal; default 0. */
  readonly counter?: string | undefined;
  readonly ocrapin?: string | undefined;
  /** The URL of roll-out phase 1: shared secret and suite. */
  readonly init1?: string | undefined;
  /** The URL of roll-out phase 2: nonce and challenge. */
  readonly init2?: string | undefined;
  /** Precedes `nonce`, as in the URL of phase 2. */
  readonly no?: string | undefined;
  /** Precedes `ocrasuite`, as in the URL of phase 1. */
  readonly os?: string | undefined;
}

/** What apps compute, for roll-outs and for tests of apps and portals. Reads and changes nothing that is stored. */
export class CalculationService {
  readonly #deps;

  constructor(dependencies: { readonly clock: Clock; readonly random: Random }) {
    this.#deps = dependencies;
  }

  /**
   * @param text the text to encode instead of random bytes, as UTF-8
   * @returns a valid activation code
   */
  activationCode(text?: string): string {
    return text === undefined
      ? randomActivationCode(this.#deps.random)
      : encodeActivationCode(Buffer.from(text, 'utf8'));
  }

  /**
   * Computes the response of an app, for tests of apps and portals: from values of the request, never from a token of
   * this server.
   * @throws ServiceError 'parameter.missing', 'parameter.invalid', 'suite.invalid',
   *   'activation-code.invalid', 'data-input.invalid', 'qrtan-url.invalid'
   */
  calculateOtp(input: CalculationInput): Promise<string> {
    return calculateOtp(input, this.#deps.clock.now());
  }
}

/**
 * Computes the response of an app after a roll-out with these values.
 * @returns the response
 * @throws ServiceError as listed at `CalculationService.calculateOtp`
 */
async function calculateOtp(input: CalculationInput, now: Date): Promise<string> {
  const init = readUrl(input.init1, 'init');
  const nonce = readUrl(input.init2, 'nonce');
  const suite = parseOcraSuite(required('ocrasuite', input.os ?? input.ocrasuite ?? init?.suite));
  const key = await deriveTokenKey({
    sharedSecret: bytes('sharedsecret', input.sharedsecret, init?.sharedSecret),
    activationCode: normalizeActivationCode(required('activationcode', input.activationcode)),
    nonce: bytes('nonce', input.no ?? input.nonce, nonce?.nonce),
  });
  return computeResponse(suite, key, {
    question: required('challenge', input.challenge ?? nonce?.question),
    counter: readCounter(input.counter),
    pin: input.ocrapin ?? '',
    // The protocol carries no session information: apps compute with an empty one.
    session: '',
    timeStep: timeStepAt(suite, now),
  });
}

type UrlOf<Kind extends QrTanUrl['kind']> = Extract<QrTanUrl, { kind: Kind }>;

function readUrl<Kind extends QrTanUrl['kind']>(
  text: string | undefined,
  kind: Kind,
): UrlOf<Kind> | undefined {
  if (text === undefined) {
    return undefined;
  }
  const url = parseQrTanUrl(text);
  if (url.kind !== kind) {
    throw new ServiceError(
      'qrtan-url.invalid',
      `This is an lseqr://${url.kind} URL; lseqr://${kind} is needed here`,
    );
  }
  return url as UrlOf<Kind>;
}

function required<Value>(name: string, value: Value | undefined): Value {
  if (value === undefined) {
    throw new ServiceError('parameter.missing', `Missing parameter '${name}'.`, { parameters: [name] });
  }
  return value;
}

function bytes(name: string, hex: string | undefined, fromUrl: Uint8Array | undefined): Uint8Array {
  return hex === undefined ? required(name, fromUrl) : bytesFromHex(hex, name);
}

/** Reads a counter as LinOTP does, by Python's `int`. */
function readCounter(text = '0'): bigint {
  if (!/^\s*\+?\d{1,20}\s*$/.test(text)) {
    throw new ServiceError(
      'parameter.invalid',
      'The parameter counter must be a whole number, zero or more',
      {
        parameter: 'counter',
      },
    );
  }
  return BigInt(text);
}
