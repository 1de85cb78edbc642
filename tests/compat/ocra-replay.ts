import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OPERATOR, PASSWORD } from '../support/application/test-application.ts';
import { basic } from '../support/values/callers.ts';
import { Bindings, masked } from './bindings.ts';
import { Devices } from './devices.ts';
import { type OcraRecording, recordedHeader, recordedParameters } from './ocra-recordings.ts';
import { type RawAnswer, type RawRequest, ReplayServer } from './replay-server.ts';

/** The comparison of an answer of this run with the recorded one. */
export interface Replayed {
  readonly name: string;
  readonly identical: boolean;
  /** The expected and the actual answer, for people. */
  readonly expected: string;
  readonly actual: string;
}

/** The administrators of the recordings. Their passwords were never looked at there; here they are. */
const ADMINISTRATORS = ['admin', 'ocra_admin', 'nobody'];
/** The session value that LinOTP let pass in the recordings. */
const RECORDED_SESSION = 'justatest';
/** Families that began with no token at all. */
const FRESH_FAMILIES = ['life', 'lock', 'plain', 'init'];
const PASSWD_FILES: Readonly<Record<string, string>> = {
  'def-passwd': 'root:x:0:0:root-def-passwd,,,:/root:/bin/sh\nhorst:x:11:11:Horst,,,:/home/horst:/bin/sh\n',
  'other-passwd': 'root:x:0:0:root-other-passwd,,,:/root:/bin/sh\n',
};

/** Asks a server of the dialect linotp what LinOTP 2.12.6 was asked, in the same order, on a database of its own. */
export class OcraReplay {
  readonly #server: ReplayServer;
  readonly #bindings = new Bindings();
  readonly #devices = new Devices();
  readonly #sessions = new Map<string, string>();
  #family = '';

  private constructor(server: ReplayServer) {
    this.#server = server;
  }

  static async open(): Promise<OcraReplay> {
    const server = await ReplayServer.start();
    for (const [name, content] of Object.entries(PASSWD_FILES)) {
      writeFileSync(join(server.folder, name), content);
    }
    const replay = new OcraReplay(server);
    await replay.#prepare();
    return replay;
  }

  /** The recordings begin with administrators, and without the policy that a fresh installation has here. */
  async #prepare(): Promise<void> {
    const { administrators, policies } = this.#server.application.services;
    await policies.remove(OPERATOR, 'ocra-administrators');
    for (const name of ADMINISTRATORS) {
      if (name !== 'admin') {
        await administrators.add(OPERATOR, name, PASSWORD);
      }
      const { cookies } = await this.#server.send({
        method: 'GET',
        path: '/admin/getsession',
        headers: { Authorization: basic(name, PASSWORD) },
        body: null,
      });
      const session = /^admin_session=([^;]+)/.exec(cookies[0] ?? '')?.[1];
      if (session === undefined) {
        throw new Error(`No session for ${name}`);
      }
      this.#sessions.set(name, session);
    }
  }

  close(): Promise<void> {
    return this.#server.stop();
  }

  async replay(recording: OcraRecording): Promise<Replayed> {
    await this.#beginFamily(recording.name);
    const at = new Date(recordedHeader(recording, 'date'));
    this.#server.application.clock.set(at);
    const answer = await this.#server.send(this.#requestOf(recording, at));
    return this.#compare(recording, answer);
  }

  async #beginFamily(name: string): Promise<void> {
    const family = name.slice(0, name.indexOf('/'));
    if (family !== this.#family && FRESH_FAMILIES.includes(family)) {
      const { tokens } = this.#server.application.services;
      for (const { serial } of await tokens.list(OPERATOR, {})) {
        await tokens.remove(OPERATOR, { serial });
      }
    }
    this.#family = family;
  }

  #requestOf(recording: OcraRecording, at: Date): RawRequest {
    const { method, path, body, headers } = recording.request;
    const name = nameOf(headers.Authorization);
    const session = this.#sessions.get(name) ?? RECORDED_SESSION;
    const ours = (text: string): string =>
      this.#bindings
        .translate(this.#withOurResponse(recording, text, at))
        .replaceAll(RECORDED_SESSION, session)
        .replaceAll(encodeURIComponent('/etc/tokens'), encodeURIComponent(this.#server.folder));
    return {
      method,
      path: ours(path),
      body: body === null ? null : ours(body),
      headers: {
        ...(headers['Content-Type'] !== undefined && { 'Content-Type': headers['Content-Type'] }),
        ...(headers['Accept-Language'] !== undefined && { 'Accept-Language': headers['Accept-Language'] }),
        ...(headers.Authorization !== undefined && { Authorization: basic(name, PASSWORD) }),
        ...(headers.Cookie !== undefined && { Cookie: headers.Cookie.replace(RECORDED_SESSION, session) }),
      },
    };
  }

  #withOurResponse(recording: OcraRecording, text: string, at: Date): string {
    const { token, device } = recording;
    const parameters = new Map(
      [...recordedParameters(recording)].map(([name, value]) => [name.toLowerCase(), value]),
    );
    const [transactionId, pass] = [parameters.get('transactionid'), parameters.get('pass')];
    if (token === undefined || pass === undefined) {
      return text;
    }
    const serial = this.#bindings.ours(token.serial);
    if (device !== undefined) {
      return text.replace(`=${pass}`, `=${this.#devices.answerAt(token, device, pass, serial, at)}`);
    }
    if (transactionId === undefined) {
      return text;
    }
    return text.replace(`=${pass}`, `=${this.#devices.answer(token, transactionId, pass, serial, at)}`);
  }

  async #compare(recording: OcraRecording, answer: RawAnswer): Promise<Replayed> {
    const { status, body } = recording.response;
    const contentType = recordedHeader(recording, 'content-type');
    const isPicture = contentType.startsWith('image/');
    const actual = isPicture ? pictureText(answer.body) : answer.body.toString('utf8');
    const recorded = isPicture ? pictureText(Buffer.from(body, 'base64')) : body;
    const parameters = recordedParameters(recording);
    this.#bindings.learn(recorded, actual, Boolean(parameters.get('data') ?? parameters.get('message')));
    await this.#devices.read(recorded, actual, recording);
    const expectedBody = masked(this.#bindings.translate(recorded)).replaceAll(
      '/etc/tokens',
      this.#server.folder,
    );
    const expected = `${status} ${contentType}\n${expectedBody}`;
    const serial = this.#bindings.ours(recording.token?.serial ?? '');
    const forged = this.#devices.refuses(actual, serial, recording)
      ? ', a signature that no device takes'
      : '';
    const came = `${answer.status} ${answer.contentType}${forged}\n${masked(actual)}`;
    return { name: recording.name, identical: expected === came, expected, actual: came };
  }
}

/** Pictures of different random values are different, and programs draw the same code differently. */
function pictureText(picture: Buffer): string {
  return picture.subarray(0, 8).toString('hex') === '89504e470d0a1a0a' ? 'a PNG' : 'no PNG';
}

function nameOf(authorization = ''): string {
  const [name = ''] = Buffer.from(authorization.replace(/^Basic /, ''), 'base64')
    .toString('utf8')
    .split(':');
  return name;
}
