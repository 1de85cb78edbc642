import { link, mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  changeDeviceFile,
  readDeviceFile,
  type DeviceState,
  emptyDeviceState,
} from '../../../src/cli/device/device-file.ts';
import { type DeviceToken, putToken } from '../../../src/device/device-token.ts';
import { PATIENCE_MS } from '../../support/values/until.ts';
import { temporaryFolder } from '../../support/values/temporary-folder.ts';

const TOKEN = {
  serial: 'OCRA1',
  suite: 'OCRA-1:HOTP-SHA256-8:C-QA64',
  sharedSecret: '00',
  key: null,
  counter: '0',
};

function holding(state: DeviceState, token: DeviceToken): DeviceState {
  return { ...state, tokens: putToken(state.tokens, token) };
}

describe("the virtual device's file", () => {
  const root = temporaryFolder();
  let folder: string;
  let file: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(root, 'each-'));
    file = join(folder, 'device.json');
  });

  function store(state: DeviceState): Promise<void> {
    return changeDeviceFile(file, () => Promise.resolve({ state, result: undefined }));
  }

  function countUp(timeoutMs?: number): Promise<string> {
    const change = (state: DeviceState): Promise<{ state: DeviceState; result: string }> => {
      const [token = TOKEN] = state.tokens;
      const counter = (BigInt(token.counter) + 1n).toString();
      return Promise.resolve({ state: holding(state, { ...token, counter }), result: counter });
    };
    return changeDeviceFile(file, change, timeoutMs);
  }

  it('keeps what was put into it, for the owner alone', async () => {
    const state = holding(emptyDeviceState(), TOKEN);
    await store(state);
    expect(await readDeviceFile(file)).toEqual(state);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it('is for the owner alone even where a file of everybody was there', async () => {
    await writeFile(file, JSON.stringify(emptyDeviceState()), { mode: 0o666 });
    await store(emptyDeviceState());
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it('uses no counter twice, however many scan at once', async () => {
    const counters = await Promise.all(Array.from({ length: 20 }, () => countUp(PATIENCE_MS)));
    expect(new Set(counters).size).toBe(20);
    expect((await readDeviceFile(file)).tokens[0]?.counter).toBe('20');
  });

  it('stays as it was when a scan fails', async () => {
    await countUp();
    const before = await readFile(file, 'utf8');
    await expect(changeDeviceFile(file, () => Promise.reject(new Error('wrong code')))).rejects.toThrow(
      'wrong code',
    );
    expect(await readFile(file, 'utf8')).toBe(before);
    expect(await readdir(folder)).toEqual(['device.json']);
  });

  it.each(['', 'not JSON', '{}', '[]', '{"version":2,"activationCode":null,"tokens":[]}'])(
    'is neither used nor overwritten when it holds %j',
    async (text) => {
      await writeFile(file, text);
      await expect(readDeviceFile(file)).rejects.toThrow('is not the state of a virtual device');
      await expect(countUp()).rejects.toThrow('nothing was changed');
      expect(await readFile(file, 'utf8')).toBe(text);
    },
  );

  it('takes over the lock of a process that has died', async () => {
    // No process has this id: it is beyond what Linux and macOS give out.
    await writeFile(`${file}.lock`, '99999999');
    expect(await countUp()).toBe('1');
  });

  it('waits for one that is running, and says what to do if that takes too long', async () => {
    await writeFile(join(folder, 'other'), String(process.pid));
    await link(join(folder, 'other'), `${file}.lock`);
    await expect(countUp(200)).rejects.toThrow(`if none is running, remove ${file}.lock`);
    expect(await readFile(`${file}.lock`, 'utf8')).toBe(String(process.pid));
  });

  it('says so where it cannot be written', async () => {
    await expect(
      changeDeviceFile(join(folder, 'none', 'device.json'), () =>
        Promise.resolve({ state: emptyDeviceState(), result: undefined }),
      ),
    ).rejects.toThrow(/cannot write .*there is no such file/);
  });
});
