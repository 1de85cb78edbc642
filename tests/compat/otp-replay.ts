import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { AS_ADMIN } from '../support/application/test-application.ts';
import { readRepositoryFile, REPOSITORY } from '../repository/repository-file.ts';
import type { Replayed } from './ocra-replay.ts';
import { ReplayServer } from './replay-server.ts';

/** A request, and what LinOTP 3.4.4 answered. */
export interface OtpRecording {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly status: number;
  readonly body: string;
  /** The second of the recording. */
  readonly at: number;
}

export function readOtpRecordings(): readonly OtpRecording[] {
  return readRepositoryFile('tests/exchanges/otp-3.4.4.jsonl')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as OtpRecording);
}

type Members = Readonly<Record<string, unknown>>;

/** What /admin/show says of a token that a response can change, or that says how responses are computed. */
const SHOWN = [
  'TokenSerialnumber',
  'TokenType',
  'OtpLen',
  'MaxFail',
  'Isactive',
  'FailCount',
  'Count',
  'CountWindow',
  'SyncWindow',
].map((name) => `LinOtp.${name}`);
/** LinOTP counts responses always, and notes here how it is resynchronising. */
const NOT_COMPARED = ['count_auth', 'otp1c', 'dueDate'];

/**
 * Asks a server of the dialect linotp what LinOTP 3.4.4 was asked, at the second of the recording, and compares status,
 * result and detail as JSON, without pictures, generated keys and the texts of errors.
 */
export class OtpReplay {
  readonly #server: ReplayServer;

  private constructor(server: ReplayServer) {
    this.#server = server;
  }

  static async open(): Promise<OtpReplay> {
    const server = await ReplayServer.start();
    copyFileSync(join(REPOSITORY, 'tests/exchanges/otp-people-passwd'), join(server.folder, 'people'));
    return new OtpReplay(server);
  }

  close(): Promise<void> {
    return this.#server.stop();
  }

  async replay({ name, method, path, params, status, body, at }: OtpRecording): Promise<Replayed> {
    this.#server.application.clock.set(new Date(at * 1000));
    const form = new URLSearchParams(params)
      .toString()
      .replace('fileName=PASSWD', `fileName=${encodeURIComponent(join(this.#server.folder, 'people'))}`);
    const answer = await this.#server.send({
      method,
      path: method === 'GET' ? `${path}?${form}` : path,
      body: method === 'GET' ? null : form,
      headers: {
        ...AS_ADMIN,
        ...(method !== 'GET' && { 'Content-Type': 'application/x-www-form-urlencoded' }),
      },
    });
    const expected = `${status} ${comparable(body)}`;
    const actual = `${answer.status} ${comparable(answer.body.toString('utf8'))}`;
    return { name, identical: expected === actual, expected, actual };
  }
}

function comparable(body: string): string {
  if (!body.startsWith('{')) {
    return body;
  }
  const { result, detail } = JSON.parse(body) as { result: Members; detail?: Members };
  const shown = { ...result, ...('error' in result && { error: codeOf(result.error as Members) }) };
  return JSON.stringify(masked({ result: shown, detail }), null, 1);
}

function codeOf({ code }: Members): Members {
  return { code };
}

function masked(value: unknown): unknown {
  if (typeof value === 'string') {
    return value
      .replace(/^(OATH|TOTP)[0-9A-F]{8}$/, '$1(generated)')
      .replace(/LinOTP:(OATH|TOTP)[0-9A-F]{8}/, 'LinOTP:$1(generated)')
      .replace(/^seed:\/\/(?!313233|Static)[0-9a-f]{20,}$/, 'seed://(generated)')
      .replace(/secret=(?!GEZDG)[A-Z2-7]+/, 'secret=(generated)');
  }
  if (Array.isArray(value)) {
    return value.map(masked);
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  const members = value as Members;
  const names = 'LinOtp.TokenSerialnumber' in members ? SHOWN : Object.keys(members).sort();
  const kept = names.filter((name) => name !== 'img').map((name) => [name, masked(members[name])] as const);
  const info = members['LinOtp.TokenInfo'];
  return {
    ...Object.fromEntries(kept),
    ...(typeof info === 'string' && { info: infoOf(info) }),
  };
}

/** @returns the algorithm and the clock, as texts: LinOTP writes 30, "30" and 30.0 */
function infoOf(text: string): unknown {
  const info = (text === '' ? {} : JSON.parse(text)) as Members;
  return Object.fromEntries(
    Object.entries(info)
      .filter(([name]) => !NOT_COMPARED.includes(name))
      .map(([name, value]) => [name, String(value)])
      .sort(([one = ''], [other = '']) => (one < other ? -1 : 1)),
  );
}
