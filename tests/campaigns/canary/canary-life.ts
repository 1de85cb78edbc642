import { randomInt } from 'node:crypto';
import { base32nopad } from '@scure/base';
import { deriveTokenKey, encodeActivationCode } from '../../../src/ocra/key-derivation.ts';
import { computeResponse } from '../../../src/ocra/compute.ts';
import { parseAlgorithm } from '../../../src/ocra/otp.ts';
import { container, ocraPackage } from '../../support/values/pskc-documents.ts';
import { computeDecline } from '../../../src/ocra/decline.ts';
import { parseQrTanUrl } from '../../../src/ocra/qrtan-url.ts';
import { questionOf } from '../../support/values/asked-question.ts';
import { parseOcraSuite } from '../../../src/ocra/suite.ts';
import type { CanaryAnswer, CanaryClient } from './canary-client.ts';
import { CANARY_PIN_SUITE as PIN_SUITE } from './canary-installation.ts';
import type { CanaryMarks } from './canary-search.ts';

/** A suite of ten digits: fewer could occur in any number. */
const SUITE = 'OCRA-1:HOTP-SHA512-10:C-QA64';

/** A token, as known to its holder. */
interface Held {
  readonly serial: string;
  readonly suite: string;
  readonly key: Buffer;
  readonly pin: string;
  readonly ocraPin: string;
}

/** A transaction, as known to a portal. */
interface Opened {
  readonly transactionid: string;
  readonly question: string;
}

/** The life of tokens: from roll-out to the last response, with all mistakes of users. */
export class CanaryLife {
  readonly #client: CanaryClient;
  readonly #marks: CanaryMarks;
  /** Distinguishes this life from others on the same database. */
  readonly #name: string;
  /** Requests to be repeated. */
  #last: readonly (readonly [path: string, parameters: Readonly<Record<string, string>>])[] = [];

  constructor(name: string, client: CanaryClient, marks: CanaryMarks) {
    this.#name = name;
    this.#client = client;
    this.#marks = marks;
  }

  /** @param userPassword of the user whose password precedes responses */
  async live(userPassword: string): Promise<void> {
    await this.#rollOut();
    const token = await this.#enrolWithPins();
    await this.#answer(token);
    await this.#answerWithPassword(userPassword);
    await this.#passes();
    const opened = await this.#open(token.serial);
    this.#last = [
      ['/admin/init', { type: 'ocra', serial: token.serial, ...secretsOf(token) }],
      ['/admin/set', { serial: token.serial, pin: token.pin, ocrapin: token.ocraPin }],
      ['/admin/loadtokens', { file: this.#keyFile() }],
      [
        '/ocra/check_t',
        { transactionid: opened.transactionid, pass: token.pin + this.#respond(token, opened, 1n) },
      ],
    ];
  }

  /** Repeats requests with all secrets of a token, in whatever state the server is. */
  async goOn(trouble?: string): Promise<void> {
    this.#client.trouble = trouble ?? this.#client.trouble;
    await Promise.all(
      this.#last.map(([path, parameters]) =>
        this.send({ path, label: 'key given ', method: 'POST', parameters }),
      ),
    );
  }

  /** Runs both phases, with a mistyped activation code, a wrong response and the right one. */
  async #rollOut(): Promise<void> {
    const { send, init } = this;
    const serial = `${this.#name}-ROLL`;
    const pin = this.#marks.text('token PIN', 'of the roll-out');
    const first = await init({ serial, genkey: '1', sharedsecret: '1', ocrasuite: SUITE }, 'phase 1 ');
    const sharedSecret = this.#marks.noteHex('shared secret', serial, given(first.detail.sharedsecret));
    const code = encodeActivationCode(this.#marks.bytes('activation code', serial, 10));
    this.#marks.note('activation code', `${serial} as text`, code);
    await send({ path: '/ocra/getActivationCode', parameters: { activationcode: code } });
    const phase2 = { serial, genkey: '1', message: 'Welcome', pin };
    await init({ ...phase2, activationcode: mistyped(code) });
    const second = await init({ ...phase2, activationcode: code.toLowerCase() }, 'phase 2 ');
    const nonce = this.#marks.noteHex('nonce', serial, given(second.detail.nonce));
    const key = this.#marks.note(
      'token key',
      serial,
      Buffer.from(
        await deriveTokenKey({
          sharedSecret: Buffer.from(sharedSecret, 'hex'),
          activationCode: code,
          nonce: Buffer.from(nonce, 'hex'),
        }),
      ),
    );
    const held: Held = { serial, suite: SUITE, key, pin, ocraPin: '' };
    const urls = { init1: given(first.detail.app_import), init2: given(second.detail.app_import) };
    const two = parseQrTanUrl(urls.init2);
    const opened = {
      transactionid: two.kind === 'nonce' ? two.transactionId : '',
      question: two.kind === 'nonce' ? two.question : '',
    };
    await this.#calculate({ ...urls, activationcode: code }, { sharedsecret: sharedSecret, nonce, code });
    await this.#check(opened, pin + this.#wrongResponse(serial));
    await this.#check(opened, this.#marks.text('token PIN', 'mistyped') + this.#respond(held, opened, 0n));
    const right = pin + this.#respond(held, opened, 0n);
    await this.#check(opened, right, true);
    await this.#check(opened, right);
    // What tells of the token and its transaction.
    const { transactionid } = opened;
    for (const [path, parameters] of Object.entries({
      '/ocra/checkstatus': { transactionid },
      '/admin/transaction/show': { transaction_id: transactionid },
      '/admin/token/show': { serial },
      '/admin/token/list': { serial },
    })) {
      const { isSuccess } = await send({ path, parameters });
      if (!isSuccess) {
        throw new Error(`${path} has told nothing of a token`);
      }
    }
  }

  /** Computes the app's response on the server: from the two codes, and from single values. */
  async #calculate(
    urls: Readonly<Record<string, string>>,
    { sharedsecret, nonce, code }: Readonly<Record<'sharedsecret' | 'nonce' | 'code', string>>,
  ): Promise<void> {
    const challenge = 'CHALLENGE0';
    for (const parameters of [
      { ...urls, challenge },
      { sharedsecret, nonce, activationcode: code, ocrasuite: SUITE, challenge, counter: '7' },
    ]) {
      const answer = await this.send({ path: '/ocra/calculateOtp', parameters });
      this.#marks.note('response', 'calculated', given(/\d{10}/.exec(JSON.stringify(answer.value))?.[0]));
    }
  }

  /** Enrols a token with a given key, a token PIN and an OCRA PIN; and one whose key the server makes. */
  async #enrolWithPins(): Promise<Held> {
    const serial = `${this.#name}-PINS`;
    const held: Held = {
      serial,
      suite: PIN_SUITE,
      key: this.#marks.bytes('token key', serial, 32),
      pin: this.#marks.text('token PIN', serial),
      ocraPin: this.#marks.text('OCRA PIN', serial),
    };
    await this.init({ serial, ...secretsOf(held) }, 'key given ');
    const made = await this.init(
      { serial: `${this.#name}-MADE`, genkey: '1', ocrasuite: SUITE },
      'key made ',
    );
    this.#marks.noteHex(
      'token key',
      'made by the server',
      given(/[0-9a-f]{40,}/.exec(JSON.stringify(made.detail.otpkey))?.[0]),
    );
    return held;
  }

  /** Answers on /ocra: wrongly, rightly, by a decline. */
  async #answer(token: Held): Promise<void> {
    const { serial } = token;
    await this.send({
      path: '/ocra/request',
      label: 'html',
      parameters: { serial, data: 'Pay 1', qr: 'html' },
    });
    const opened = await this.#open(serial);
    await this.#check(opened, token.pin + this.#wrongResponse(serial));
    await this.#check(opened, this.#marks.text('token PIN', 'wrong') + this.#respond(token, opened, 0n));
    await this.#check(opened, token.pin + this.#respond(token, opened, 0n), true);
    const unwanted = await this.#open(serial);
    const decline = computeDecline(
      parseOcraSuite(token.suite),
      token.key,
      { ...unwanted, transactionId: unwanted.transactionid },
      'reported',
    );
    this.#marks.noteHex('response', 'a decline', decline);
    const { transactionid } = unwanted;
    await this.send({ path: '/ocra/check_t', label: 'decline ', parameters: { transactionid, decline } });
  }

  /** Answers with otppin=1: the password of the user precedes the response. */
  async #answerWithPassword(userPassword: string): Promise<void> {
    const serial = `${this.#name}-USER`;
    const key = this.#marks.bytes('token key', serial, 32);
    const token: Held = { serial, suite: SUITE, key, pin: '', ocraPin: '' };
    const user = `${this.#name.toLowerCase()}-bert`;
    await this.init(
      { serial, otpkey: key.toString('hex'), ocrasuite: SUITE, user, realm: 'passwords' },
      'key given ',
    );
    const opened = await this.#open(serial);
    const wrong = this.#marks.text('wrong password', 'of a user');
    await this.#check(opened, wrong + this.#respond(token, opened, 0n));
    await this.send({
      path: '/validate/check',
      label: 'user ',
      parameters: { user, realm: 'passwords', pass: userPassword + this.#respond(token, opened, 0n) },
    });
  }

  #keyFile(): string {
    const key = this.#marks.bytes('token key', 'of a key file', 32);
    return container({ packages: ocraPackage(`${this.#name}-LOAD`, SUITE, key) });
  }

  /** Tokens without a challenge: each with a wrong pass, and a right one twice. The PIN stands for the whole pass. */
  async #passes(): Promise<void> {
    const owner = { user: 'anna', realm: 'staff' };
    const position = { counter: 0n, timeStep: BigInt(Math.floor(Date.now() / 30_000)) };
    for (const [type, algorithm] of Object.entries({ hmac: 'HOTP-SHA1-8', totp: 'TOTP-SHA1-8:T30S' })) {
      const serial = `${this.#name}-${type}`;
      const key = this.#marks.bytes('token key', serial, 20);
      const pin = this.#marks.text('token PIN', serial);
      await this.init(
        { type, serial, otpkey: key.toString('hex'), otplen: '8', pin, ...owner },
        'key given ',
      );
      const inputs = { question: '', ...position };
      const otp = computeResponse(parseAlgorithm(algorithm), key, inputs);
      await this.send({ path: '/admin/getSerialByOtp', parameters: { otp, type } });
      await this.#pass(serial, pin + otp, pin + otp.replace(/^./, (digit) => (digit === '0' ? '1' : '0')));
      const made = await this.init({ type, genkey: '1' }, 'key made ');
      const url = new URL(given(/otpauth:[^"\\]+/.exec(JSON.stringify(made.detail.googleurl))?.[0]));
      const made32 = base32nopad.decode(url.searchParams.get('secret') ?? '');
      this.#marks.note('token key', `${serial}, made`, Buffer.from(made32));
    }
    const [text, pin] = [this.#marks.text('fixed text', 'pw'), this.#marks.text('token PIN', 'pw')];
    await this.init({ type: 'pw', serial: `${this.#name}-pw`, otpkey: text, pin, ...owner }, 'key given ');
    await this.#pass(`${this.#name}-pw`, pin + text, `${pin}${this.#marks.text('fixed text', 'mistyped')}`);
    const alone = this.#marks.text('token PIN', 'spass');
    await this.init({ type: 'spass', serial: `${this.#name}-spass`, pin: alone, ...owner });
    await this.#pass(`${this.#name}-spass`, alone, `${alone}x`);
  }

  async #pass(serial: string, right: string, wrong: string): Promise<void> {
    for (const [pass, isRight] of [
      [wrong, false],
      [right, true],
    ] as const) {
      const { value } = await this.send({
        path: '/validate/check_s',
        label: 'pass ',
        parameters: { serial, pass },
      });
      if (value !== isRight) {
        throw new Error(`Not the answer that was expected of ${serial}: ${JSON.stringify(value)}`);
      }
    }
  }

  readonly send: CanaryClient['send'] = (request) => this.#client.send(request);

  readonly init = (parameters: Readonly<Record<string, string>>, label = ''): Promise<CanaryAnswer> =>
    this.send({ path: '/admin/init', label, parameters: { type: 'ocra', ...parameters } });

  async #open(serial: string): Promise<Opened> {
    const { detail } = await this.send({ path: '/ocra/request', parameters: { serial, data: 'Pay 2' } });
    return {
      transactionid: given(detail.transactionid),
      question: questionOf(given(detail.data)),
    };
  }

  async #check({ transactionid }: Opened, pass: string, isRight = false): Promise<void> {
    const { value } = await this.send({ path: '/ocra/check_t', parameters: { transactionid, pass } });
    if ((value as { result?: boolean }).result !== isRight) {
      throw new Error(`Not the answer that was expected: ${JSON.stringify(value)}`);
    }
  }

  #respond({ serial, suite, key, ocraPin }: Held, { question }: Opened, counter: bigint): string {
    const inputs = { question, counter, pin: ocraPin };
    return this.#marks.note('response', serial, computeResponse(parseOcraSuite(suite), key, inputs));
  }

  /** Begins with a digit that no right response has. */
  #wrongResponse(name: string): string {
    const digits = Array.from({ length: 9 }, () => randomInt(10)).join('');
    return this.#marks.note('wrong response', name, `9${digits}`);
  }
}

/** The parameters of an enrolment with a given key. */
function secretsOf({ key, pin, ocraPin, suite }: Held): Readonly<Record<string, string>> {
  return { otpkey: key.toString('hex').toUpperCase(), ocrasuite: suite, pin, ocrapin: ocraPin };
}

function given(value: string | undefined): string {
  if (value === undefined || value === '') {
    throw new Error('The server did not answer what comes next');
  }
  return value;
}

/** Changes the check digit. */
function mistyped(code: string): string {
  return code.slice(0, -1) + (code.endsWith('0') ? '1' : '0');
}
