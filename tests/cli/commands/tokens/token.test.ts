import { UNBOUND_USE } from '../../../../src/tokens/token.ts';
import type { TokenView } from '../../../../src/tokens/token-view.ts';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { readQrCode } from '../../../support/values/qr-code.ts';
import { type Answers, runFake } from '../../fake-dependencies.ts';
import { fakeIo } from '../../fake-io.ts';
import { temporaryFolder } from '../../../support/values/temporary-folder.ts';

const TOKEN: TokenView = {
  isLocked: false,
  isSecondFactor: false,
  revision: '1',
  lostAt: null,
  lostBy: null,
  ownerRealm: 'bank',
  state: 'active',
  id: '1',
  serial: 'OCRA1',
  type: 'ocra',
  description: 'blue',
  active: true,
  failCount: 2,
  maxFail: 10,
  counter: 18446744073709551615n,
  counterWindow: 10,
  syncWindow: 1000,
  timeShift: 0,
  algorithm: 'OCRA-1:HOTP-SHA256-8:C-QA64',
  rollout: 'complete',
  hasPin: true,
  owner: { resolverId: '1', resolver: 'customers', userId: '7', login: 'ada' },
  realms: ['bank', 'office'],
  createdAt: new Date('2026-11-01T00:00:00Z'),
  lastSuccessAt: null,
  use: UNBOUND_USE,
};
const INIT_URL = 'lseqr://init?sh=00ff&os=OCRA-1%3AHOTP-SHA256-8%3AC-QA64&se=OCRA1';
const PHASE1 = { kind: 'phase1', serial: 'OCRA1', sharedSecret: '00ff', appImport: INIT_URL };
const PHASE2 = {
  kind: 'phase2',
  serial: 'OCRA1',
  nonce: 'aa',
  transactionId: 'ff00',
  question: 'abc0000',
  callbackUrl: 'https://t/ocra/check_t',
  signature: 'bb',
  appImport: 'lseqr://nonce?me=x',
};
const PLAIN = { kind: 'plain', serial: 'OCRA1', otpkey: '31323334' };
const ANSWERS: Answers = {
  'tokenPages.page': {
    tokens: [
      TOKEN,
      { ...TOKEN, serial: 'OCRA2', owner: null, realms: [], active: false, state: 'disabled', failCount: 0 },
    ],
    next: null,
    total: 2,
  },
  'enrolment.init': PHASE1,
};

const run = (
  parameters: readonly string[],
  { typed, answers }: { typed?: readonly string[]; answers?: Answers } = {},
) => runFake(['token', ...parameters], { ...ANSWERS, ...answers }, fakeIo(typed && { typed }));

const folder = temporaryFolder();
let secretFile: string;
let emptyFile: string;
beforeAll(async () => {
  secretFile = join(folder, 'secret');
  emptyFile = join(folder, 'empty');
  await writeFile(secretFile, '31323334\n');
  await writeFile(emptyFile, '');
});

describe('token list', () => {
  it('shows people what they look for first', async () => {
    const { out } = await run(['list']);
    expect(out).toBe(
      [
        'Total  2',
        '',
        'SERIAL  TYPE  USER  REALMS        STATE     FAILS',
        'OCRA1   ocra  ada   bank, office  active        2',
        'OCRA2   ocra                      disabled      0',
        '',
      ].join('\n'),
    );
  });
});

describe('token commands that change tokens', () => {
  it('take PINs from prompts, typed twice, or files, and never print them', async () => {
    const prompted = await run(['set', 'A', '--ask-pin', '--ask-ocra-pin'], {
      typed: ['11', '11', '22', '22'],
    });
    expect(prompted.calls).toEqual([
      ['tokens.set', { serial: 'A' }, expect.objectContaining({ pin: '11', ocraPin: '22' })],
    ]);
    const filed = await run(['set', 'A', '--pin-file', secretFile]);
    expect(filed.calls).toEqual([
      ['tokens.set', { serial: 'A' }, expect.objectContaining({ pin: '31323334' })],
    ]);
    expect(filed.out).not.toContain('31323334');
    const differing = await run(['set', 'A', '--ask-pin'], { typed: ['11', '12'] });
    expect(differing).toMatchObject({ code: 1, calls: [] });
  });

  it.each([['--pin-file'], ['--ocra-pin-file'], ['--ask-pin'], ['--ask-ocra-pin']])(
    'remove no PIN by an empty one: %s',
    async (option) => {
      for (const command of [['set', 'A'], ['init']]) {
        const given = option.startsWith('--ask') ? [option] : [option, emptyFile];
        const refused = await run([...command, ...given], { typed: ['', ''] });
        expect(refused).toMatchObject({ code: 1, calls: [] });
        expect(refused.err).toContain('is empty');
      }
    },
  );

  it('remove a PIN where that is what is asked for', async () => {
    const removed = await run(['remove-pin', 'A', '--yes']);
    expect(removed).toMatchObject({ code: 0, out: 'A has no PIN now\n' });
    expect(removed.calls).toEqual([['tokens.removePin', { serial: 'A' }, 'pin']]);
    expect((await run(['remove-pin', 'A', '--ocra', '--yes'])).calls).toEqual([
      ['tokens.removePin', { serial: 'A' }, 'ocraPin'],
    ]);
  });
});

describe('token init', () => {
  it('begins a roll-out: phase 1, with the code on the terminal and what comes next', async () => {
    const { out, calls } = await run(['init', '--user', 'ada', '--realm', 'bank']);
    expect(calls).toEqual([
      [
        'enrolment.init',
        expect.objectContaining({ type: 'ocra', genkey: '1', sharedsecret: '1', user: 'ada' }),
      ],
    ]);
    expect(out).toContain('█');
    expect(out).toContain(INIT_URL);
    expect(out).toContain('Next: tankeeper token init --phase2 --serial OCRA1');
  });

  it('gives scripts one object', async () => {
    expect(JSON.parse((await run(['init', '--json'])).out)).toEqual({
      kind: 'phase1',
      serial: 'OCRA1',
      sharedsecret: '00ff',
      app_import: INIT_URL,
    });
    const answers = { 'enrolment.init': PHASE2 };
    expect(
      JSON.parse((await run(['init', '--activation-code-file', secretFile, '--json'], { answers })).out),
    ).toEqual({
      kind: 'phase2',
      serial: 'OCRA1',
      nonce: 'aa',
      transactionid: 'ff00',
      challenge: 'abc0000',
      url: 'https://t/ocra/check_t',
      signature: 'bb',
      app_import: 'lseqr://nonce?me=x',
    });
  });

  it('asks for the activation code in phase 2', async () => {
    const { out, calls } = await run(['init', '--phase2', '--serial', 'OCRA1', '--message', 'Hello'], {
      typed: ['GEZDGNBVGY3TQOJQ01'],
      answers: { 'enrolment.init': PHASE2 },
    });
    expect(calls).toEqual([
      [
        'enrolment.init',
        expect.objectContaining({ activationcode: 'GEZDGNBVGY3TQOJQ01', serial: 'OCRA1', message: 'Hello' }),
      ],
    ]);
    expect(calls[0]?.[1]).not.toHaveProperty('sharedsecret');
    expect(out).toContain('lseqr://nonce?me=x');
    expect(out).not.toContain('GEZDGNBVGY3TQOJQ01');
  });

  it('enrols a plain token with a given key, and does not show it again', async () => {
    const answers = { 'enrolment.init': PLAIN };
    const { out, calls } = await run(['init', '--otpkey-file', secretFile, '--suite', 'S'], { answers });
    expect(calls).toEqual([
      ['enrolment.init', expect.objectContaining({ otpkey: '31323334', ocrasuite: 'S' })],
    ]);
    expect(out).toBe('OCRA1 is enrolled\n');
  });

  it('writes the code to a picture for its owner alone, never over another file', async () => {
    const png = join(folder, 'code.png');
    const { out } = await run(['init', '--png', png]);
    expect(out).not.toContain('█');
    expect(readQrCode(await readFile(png))).toBe(INIT_URL);
    expect((await stat(png)).mode & 0o777).toBe(0o600);
    expect(await run(['init', '--png', png])).toMatchObject({
      code: 1,
      err: `tankeeper: cannot write ${png}: there is such a file already\n`,
    });
  });

  it.each(['--generate --phase2', '--generate --otpkey-file x', '--otpkey-file x --activation-code-file y'])(
    'refuses to choose between %s',
    async (options) => {
      expect(await run(['init', ...options.split(' ')])).toMatchObject({ code: 2, calls: [] });
    },
  );
});
