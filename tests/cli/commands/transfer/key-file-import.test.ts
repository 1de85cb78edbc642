import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Answers, runFake } from '../../fake-dependencies.ts';
import { type FakeIo, fakeIo } from '../../fake-io.ts';
import { temporaryFolder } from '../../../support/values/temporary-folder.ts';

const folder = temporaryFolder();
const at = (name: string): string => join(folder, name);

beforeAll(async () => {
  await writeFile(at('keys.xml'), '\ufeff<KeyContainer/>\n');
  await writeFile(at('undeclared.xml'), Buffer.from('<a>\n\xff</a>', 'latin1'));
  await writeFile(at('latin1.xml'), Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?><ä/>', 'latin1'));
  await writeFile(at('latin1.csv'), Buffer.from('serial\nä', 'latin1'));
  await writeFile(at('large.xml'), Buffer.alloc(16 * 1024 * 1024 + 1, ' '));
  await writeFile(at('password'), 'qwerty\n');
  await writeFile(at('key'), '1234\n');
  await writeFile(at('otp1'), '11111111\n');
});

const run = (
  parameters: readonly string[],
  { answers = {}, io = fakeIo() }: { answers?: Answers; io?: FakeIo } = {},
) =>
  runFake(parameters, { 'tokenImport.load': ['A1', 'A2'], 'resynchronisation.resync': true, ...answers }, io);

describe('tankeeper import pskc', () => {
  it('loads a file and counts the tokens, or names them with --verbose', async () => {
    const { code, out, calls } = await run(['import', 'pskc', at('keys.xml'), '--realm', 'bank']);
    expect([code, out]).toEqual([0, '2 tokens are loaded\n']);
    expect(calls).toEqual([
      ['tokenImport.load', { format: 'pskc', file: '<KeyContainer/>\n', realm: 'bank' }],
    ]);
    const verbose = await run(['import', 'pskc', at('keys.xml'), '--verbose']);
    expect(verbose.out).toBe('2 tokens are loaded\nA1\nA2\n');
    expect(JSON.parse((await run(['import', 'pskc', at('keys.xml'), '--json'])).out)).toEqual({
      serials: ['A1', 'A2'],
    });
  });

  it('reads a file in the encoding that it declares', async () => {
    const { code, calls } = await run(['import', 'pskc', at('latin1.xml')]);
    expect([code, calls]).toMatchObject([
      0,
      [['tokenImport.load', { file: expect.stringMatching(/<ä\/>$/) }]],
    ]);
  });

  it('reports what it would load, and fails where a key would be refused', async () => {
    const dry = ['import', 'pskc', at('keys.xml'), '--dry-run', '--verbose'];
    const found = { serials: ['A1'], refused: [{ serial: 'A\n2', reason: 'no' }] };
    const { code, out, err, calls } = await run(dry, { answers: { 'tokenImport.check': found } });
    expect([code, out]).toEqual([
      1,
      '1 tokens would be loaded\nA1\n1 keys would be refused:\nA\\u000a2: no\n',
    ]);
    expect(err).toBe('tankeeper: the file has keys that would be refused: an import would load none\n');
    expect(calls).toEqual([
      ['tokenImport.check', { format: 'pskc', file: '<KeyContainer/>\n', realm: undefined }],
    ]);
    const good = { serials: ['A1'], refused: [] };
    const json = await run([...dry, '--json'], { answers: { 'tokenImport.check': good } });
    expect([json.code, JSON.parse(json.out)]).toEqual([0, good]);
  });

  it.each([
    [['--password-file', 'password'], [], { password: 'qwerty' }],
    [['--key-file', 'key'], [], { preSharedKey: '1234' }],
    [['--ask-password'], ['secret'], { password: 'secret' }],
    [['--ask-key'], ['ff00'], { preSharedKey: 'ff00' }],
  ])('takes what opens the file: %j', async ([option = '', file], typed, secret) => {
    const options = file === undefined ? [option] : [option, at(file)];
    const { calls } = await run(['import', 'pskc', at('keys.xml'), ...options], { io: fakeIo({ typed }) });
    expect(calls).toEqual([
      ['tokenImport.load', { format: 'pskc', file: '<KeyContainer/>\n', realm: undefined, ...secret }],
    ]);
  });

  it.each([
    ['nothing.xml', /there is no such file/],
    ['.', /it is a folder/],
    ['undeclared.xml', /it is no text in utf-8/],
    ['large.xml', /is larger than 16777216 bytes/],
  ])('fails for %s, and nothing is loaded', async (name, message) => {
    const { code, err, calls } = await run(['import', 'pskc', at(name)]);
    expect([code, calls]).toEqual([1, []]);
    expect(err).toMatch(message);
  });

  it('takes either a key or a password', async () => {
    const both = ['--ask-key', '--password-file', at('password')];
    expect((await run(['import', 'pskc', at('keys.xml'), ...both])).code).toBe(2);
  });
});

describe('tankeeper import csv', () => {
  it('loads a table, or reports what it would load', async () => {
    const file = 'serial,key\nA1,00\n';
    await writeFile(at('keys.csv'), file);
    const { code, out, calls } = await run(['import', 'csv', at('keys.csv'), '--realm', 'bank']);
    expect([code, out]).toEqual([0, '2 tokens are loaded\n']);
    expect(calls).toEqual([['tokenImport.load', { format: 'csv', file, realm: 'bank' }]]);
    const answers = { 'tokenImport.check': { serials: [], refused: [{ serial: 'A1', reason: 'no' }] } };
    const dry = await run(['import', 'csv', at('keys.csv'), '--dry-run', '--json'], { answers });
    expect([dry.code, JSON.parse(dry.out)]).toEqual([1, answers['tokenImport.check']]);
    expect(dry.calls).toEqual([['tokenImport.check', { format: 'csv', file, realm: undefined }]]);
  });

  it('reads UTF-8 only', async () => {
    const { code, err, calls } = await run(['import', 'csv', at('latin1.csv')]);
    expect([code, calls]).toEqual([1, []]);
    expect(err).toMatch(/is not UTF-8 text/);
  });

  it('has no options for secrets, and names the columns', async () => {
    expect((await run(['import', 'csv', at('keys.xml'), '--ask-key'])).code).toBe(2);
    expect((await run(['import', 'csv', '--help'])).out).toMatch(
      /serial, and key \(hexadecimal\) or key_base32/,
    );
  });
});

describe('tankeeper token resync', () => {
  it('asks for two responses and says that the token is in step', async () => {
    const io = fakeIo({ typed: ['22222222'] });
    const options = ['--otp1-file', at('otp1'), '--challenge1', 'a', '--challenge2', 'b'];
    const { code, out, calls } = await run(['token', 'resync', 'OCRA1', ...options], { io });
    expect([code, out]).toEqual([0, 'OCRA1 is in step again\n']);
    const request = { serial: 'OCRA1', otp1: '11111111', otp2: '22222222', challenge1: 'a', challenge2: 'b' };
    expect(calls).toEqual([['resynchronisation.resync', request]]);
  });
});
