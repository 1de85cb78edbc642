import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { encodeActivationCode } from '../../../src/ocra/activation-code.ts';
import { deriveTokenKey } from '../../../src/ocra/key-derivation.ts';
import { parseQrTanUrl } from '../../../src/ocra/qrtan-url.ts';
import {
  type Learned,
  type ModelAct,
  type ModelAnswer,
  REALM,
  REFUSED,
  type Selected,
  SUITES,
} from './challenge-model-acts.ts';
import { OPERATOR, type TestApplication } from '../../support/application/test-application.ts';

const ACTIVATION_CODE = encodeActivationCode(Buffer.from('model'));

/** The result of an act. */
export interface Done {
  readonly answer: ModelAnswer;
  readonly learned: Learned;
}

interface Envelope {
  readonly result: { readonly status: boolean; readonly value?: ModelAnswer };
  readonly detail?: Readonly<Record<string, string>>;
}

type Parameters = Readonly<Record<string, string | undefined>>;

/** The server that the model is compared with, over HTTP on a port. */
export class ChallengeModelServer {
  readonly #application: TestApplication;
  readonly #server: Server;
  readonly #bearer: string;

  private constructor(application: TestApplication, server: Server, bearer: string) {
    this.#application = application;
    this.#server = server;
    this.#bearer = bearer;
  }

  /** @param name of the API token for its requests */
  static async listen(application: TestApplication, name: string): Promise<ChallengeModelServer> {
    const { token } = await application.services.administrators.addApiToken(OPERATOR, 'admin', {
      name,
      rights: ['*'],
    });
    const server = createServer(application.app);
    // As the true server: on a slow machine a connection may be idle for longer than Node's five seconds.
    server.keepAliveTimeout = 65_000;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new ChallengeModelServer(application, server, token);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** @throws for an answer that no client may ever get */
  async perform(act: ModelAct): Promise<Done> {
    switch (act.act) {
      case 'wait':
        this.#application.clock.advance(act.seconds);
        return reported(true);
      case 'housekeeping':
        await this.#application.services.housekeeping.run(OPERATOR);
        return reported(true);
      case 'configure':
        return this.#tell('system/setConfig', { [act.key]: act.value });
      case 'answer':
        return this.#answer(act);
      case 'status':
        return this.#tell('ocra/checkstatus', withRealm(act.of));
      case 'show':
        return reported(shown(await this.#ask('admin/show', { serial: act.serial })));
      default:
        return this.#change(act);
    }
  }

  async #change(
    act: Exclude<ModelAct, { act: 'wait' | 'housekeeping' | 'configure' | 'answer' | 'status' | 'show' }>,
  ): Promise<Done> {
    switch (act.act) {
      case 'enrol':
        return this.#enrol(act);
      case 'phase 1':
        return this.#begin(act);
      case 'phase 2':
        return this.#derive(act);
      case 'request':
        return this.#request(act.of, act.data);
      case 'assign':
        return this.#tell('admin/assign', { serial: act.serial, user: act.user, realm: REALM });
      case 'set':
        return this.#tell('admin/set', { serial: act.serial, pin: act.pin });
      case 'limit':
        return this.#tell('admin/set', { serial: act.serial, MaxFailCount: String(act.maxFail) });
      case 'window':
        return this.#tell('admin/set', { serial: act.serial, CounterWindow: String(act.counters) });
      case 'resync':
        return this.#resync(act);
      default:
        return this.#tell(`admin/${act.act}`, withRealm(act.of));
    }
  }

  #answer({ via, transactionId, serial, user, pass }: Extract<ModelAct, { act: 'answer' }>): Promise<Done> {
    const named = { transactionid: transactionId, pass };
    switch (via) {
      case 'validate/check_s':
        return this.#tell(via, { ...named, serial });
      case 'validate/check':
        return this.#tell(via, { ...named, user, realm: REALM });
      default:
        return this.#tell(via, { ...named, transactionid: transactionId ?? '' });
    }
  }

  #enrol({ serial, suite, key, pin, user }: Extract<ModelAct, { act: 'enrol' }>): Promise<Done> {
    const parameters = { type: 'ocra', serial, ocrasuite: suite, otpkey: key, pin };
    return this.#tell('admin/init', { ...parameters, ...(user !== undefined && { user, realm: REALM }) });
  }

  async #begin({ serial, user }: Extract<ModelAct, { act: 'phase 1' }>): Promise<Done> {
    const parameters = { type: 'ocra', genkey: '1', sharedsecret: '1', serial, ocrasuite: SUITES.rollout };
    const { result, detail } = await this.#ask('admin/init', {
      ...parameters,
      ...(user !== undefined && { user, realm: REALM }),
    });
    return { answer: result.value ?? REFUSED, learned: { key: detail?.sharedsecret ?? '' } };
  }

  /** Performs the app's part as well: derives the key from the data of phase 1, the activation code, and the nonce. */
  async #derive({ serial, sharedSecret }: Extract<ModelAct, { act: 'phase 2' }>): Promise<Done> {
    const { result, detail } = await this.#ask('admin/init', {
      type: 'ocra',
      genkey: '1',
      activationcode: ACTIVATION_CODE,
      serial,
      message: 'welcome',
    });
    if (detail === undefined) {
      return reported(result.value ?? REFUSED);
    }
    const { transactionid: transactionId = '', challenge: question = '', nonce = '' } = detail;
    const key = Buffer.from(
      await deriveTokenKey({
        sharedSecret: Buffer.from(sharedSecret, 'hex'),
        activationCode: ACTIVATION_CODE,
        nonce: Buffer.from(nonce, 'hex'),
      }),
    );
    return {
      answer: result.value ?? REFUSED,
      learned: { transactionId, question, key: key.toString('hex') },
    };
  }

  async #request(of: Selected, data: string): Promise<Done> {
    const { result, detail } = await this.#ask('ocra/request', { ...withRealm(of), data });
    if (detail === undefined) {
      return reported(result.status ? true : REFUSED);
    }
    const url = parseQrTanUrl(detail.data ?? '');
    const question = url.kind === 'req' ? url.question : '';
    return { answer: true, learned: { transactionId: detail.transactionid ?? '', question } };
  }

  #resync({ serial, questions, responses }: Extract<ModelAct, { act: 'resync' }>): Promise<Done> {
    const [challenge1, challenge2] = questions;
    const [otp1, otp2] = responses;
    return this.#tell('admin/resync', { serial, otp1, otp2, challenge1, challenge2 });
  }

  async #tell(path: string, parameters: Parameters): Promise<Done> {
    const { result } = await this.#ask(path, parameters);
    return reported(result.value ?? REFUSED);
  }

  async #ask(path: string, parameters: Parameters): Promise<Envelope> {
    const given = Object.entries(parameters).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    );
    const { port } = this.#server.address() as AddressInfo;
    const isOpen = path === 'ocra/check_t' || path.startsWith('validate/');
    const response = await fetch(`http://127.0.0.1:${port}/${path}`, {
      method: 'POST',
      body: new URLSearchParams(given),
      headers: isOpen ? {} : { Authorization: `Bearer ${this.#bearer}` },
    });
    const text = await response.text();
    if (response.status !== 200) {
      throw new Error(`${path} was answered with ${response.status}: ${text}`);
    }
    return JSON.parse(text) as Envelope;
  }
}

function reported(answer: ModelAnswer): Done {
  return { answer, learned: {} };
}

function withRealm(of: Selected | { readonly transactionId: string }): Parameters {
  if ('transactionId' in of) {
    return { transactionid: of.transactionId };
  }
  return 'user' in of ? { user: of.user, realm: REALM } : of;
}

function shown({ result }: Envelope): ModelAnswer {
  const { tokens = [] } = (result.value ?? {}) as { tokens?: Record<string, unknown>[] };
  const [token] = tokens;
  if (token === undefined) {
    return null;
  }
  const { serial, active, failcount, maxfail, counter, rollout, user, ocrasuite } = token;
  return { serial, active, failcount, maxfail, counter, rollout, user, ocrasuite };
}
