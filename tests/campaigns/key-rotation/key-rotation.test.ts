import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { KeyInstallation } from './key-installation.ts';
import { shortOrLong } from '../../support/campaign.ts';
import type { ServerProcess } from '../../support/servers/server-process.ts';
import { testProgram } from '../../support/servers/test-build.ts';
import { describeWithSoftHsm, SoftHsm } from './soft-hsm.ts';
import { until } from '../../support/values/until.ts';

const MANY = shortOrLong(3_000, 20_000);
const LAST = `LOADED${MANY - 1}`;
const accepted = { failcount: 0, result: true };

interface Rotated {
  readonly key_id: string;
  readonly changed: boolean;
  readonly resealed: number;
  readonly left: number;
}

describe('changing the key while two servers run', () => {
  let installation: KeyInstallation;
  let servers: [ServerProcess, ServerProcess];
  let oldKey: string;

  beforeEach(async () => {
    installation = await KeyInstallation.create();
    servers = [await installation.start(), await installation.start()];
    oldKey = (await installation.keys())[0]?.key_id ?? '';
  });

  afterEach(() => installation.remove());

  it('loses no response, no enrolment, no PIN and no login; then the old key can go', async () => {
    const cookie = await installation.logIn(servers[0]);
    await installation.load(1_500);
    const load = new Load(installation, servers);
    await load.begin();
    const { key_id: newKey } = await installation.json<{ key_id: string }>('key', 'add');
    await installation.readKeys(...servers);
    const rotated = await installation.json<Rotated>('key', 'rotate', '--yes');
    expect(rotated).toMatchObject({ key_id: newKey, changed: true });
    expect(rotated.resealed).toBeGreaterThanOrEqual(1_500);
    // A server seals with the key that it had, until it reads them again.
    expect(await installation.enrol(servers[0], 'SEALED-BEFORE')).toBe(true);
    expect((await installation.run('key', 'retire', oldKey, '--yes')).output).toContain('is still needed');
    await installation.readKeys(...servers);
    const done = await load.end();
    expect(done.trouble).toEqual([]);
    expect(done.confirmed).toBeGreaterThan(10);
    expect(done.enrolled).toBeGreaterThan(3);
    expect(done.pins).toBeGreaterThan(3);
    expect(await installation.json<Rotated>('key', 'rotate')).toMatchObject({ changed: false, left: 0 });
    const states = (await installation.keys()).map(({ key_id: keyId, state, secrets }) => [
      keyId,
      state,
      secrets === 0,
    ]);
    expect(states).toEqual([
      [oldKey, 'unused', true],
      [newKey, 'current', false],
    ]);
    expect(await installation.isLoggedIn(servers[1], cookie)).toBe(true);
    const retired = await installation.run('key', 'retire', oldKey, '--yes');
    expect(retired).toMatchObject({ code: 0, output: expect.stringContaining('is retired') as unknown });
    installation.takeFromFile(oldKey);
    expect(installation.vault().keyIds).toEqual([newKey]);
    expect(await installation.openAll()).toBeGreaterThan(1_500);
    const again = await installation.start();
    expect(await load.confirmAll([again, servers[0]])).toEqual([]);
    expect((await installation.ask(again, '/monitoring/storageEncryption', {})).result.value).toBe(true);
    expect((await installation.ask(servers[0], '/monitoring/storageEncryption', {})).result.value).toBe(true);
  });

  it('may be killed in the middle, and goes on from there', async () => {
    await installation.load(MANY);
    await installation.json('key', 'add');
    await installation.readKeys(...servers);
    const killed = spawn(process.execPath, [testProgram(), 'key', 'rotate', '--yes'], {
      env: { PATH: process.env.PATH ?? '', ...installation.environment },
      stdio: 'ignore',
    });
    const ended = once(killed, 'close');
    // It passes over what somebody holds, and comes back to it: so it cannot be at its end before it is killed.
    const holding = await installation.test.database.knex.transaction();
    await holding('tokens').where({ serial: LAST }).forUpdate().select('id');
    await until(async () => (await installation.seedsOfOtherKeys(oldKey)) > 0);
    killed.kill('SIGKILL');
    await ended;
    await holding.rollback();
    const between = await installation.keys();
    const old = between.find(({ key_id: keyId }) => keyId === oldKey);
    expect(old?.state).toBe('needed');
    expect(await installation.openAll()).toBe(MANY);
    const refused = await installation.run('key', 'retire', oldKey, '--yes');
    expect(refused).toMatchObject({ code: 1, output: expect.stringContaining('is still needed') as unknown });
    const rotated = await installation.json<Rotated>('key', 'rotate');
    expect(rotated).toMatchObject({ changed: false, resealed: old?.secrets, left: 0 });
    expect(await installation.confirm(servers, LAST, 0)).toEqual(accepted);
    await installation.json('key', 'retire', oldKey, '--yes');
    installation.takeFromFile(oldKey);
    expect(await installation.openAll()).toBe(MANY);
  });
});

describe('a server that was not told', () => {
  it('cannot start without the key, opens nothing that is sealed with it, and stores nothing under a retired one', async () => {
    const installation = await KeyInstallation.create();
    try {
      const here = await installation.start();
      const copy = installation.copyKeyFile('other-machine.key');
      const there = await installation.start({ ENCRYPTION_KEY_FILE: copy });
      const [old] = await installation.keys();
      await installation.enrol(here, 'T1');
      const { key_id: keyId } = await installation.json<{ key_id: string }>('key', 'add');
      const refused = await installation.run('key', 'rotate');
      expect(refused.output).toContain('a server that has not read the newest key');
      await expect(installation.start({ ENCRYPTION_KEY_FILE: copy, PORT: '0' })).rejects.toThrow(
        new RegExp(`The database needs the encryption key ${keyId}, and the key file .*other-machine.key`),
      );
      await installation.readKeys(here, there);
      expect(there.output()).toContain('cannot be read; those that are loaded still serve');
      expect(await installation.confirm([here, there], 'T1', 0)).toEqual(accepted);
      await installation.run('key', 'rotate', '--yes');
      await installation.json('key', 'retire', old?.key_id ?? '', '--yes');
      // What is sealed anew cannot be read there, and nothing is stored that nobody could open, until the file comes.
      expect(JSON.stringify(await installation.confirm([here, there], 'T1', 1))).not.toContain('true');
      expect(await installation.enrol(there, 'T2')).not.toBe(true);
      const health = await installation.ask(there, '/admin/installation/health', {});
      expect(JSON.stringify(health.result.value)).toContain(`has not read the key ${keyId}`);
      installation.copyKeyFile('other-machine.key');
      await installation.readKeys(there);
      expect(await installation.confirm([here, there], 'T1', 1)).toEqual(accepted);
      expect(await installation.enrol(there, 'T2')).toBe(true);
      expect(await installation.openAll()).toBeGreaterThan(1);
    } finally {
      await installation.remove();
    }
  });
});

describeWithSoftHsm('keys that a PKCS #11 module wraps', () => {
  it('are changed in the database alone', async () => {
    const hsm = new SoftHsm();
    const installation = await KeyInstallation.create({ ...hsm.environment, PKCS11_CREATE_KEY: 'on' });
    try {
      const servers: [ServerProcess, ServerProcess] = [
        await installation.start(),
        await installation.start(),
      ];
      await installation.enrol(servers[0], 'T1');
      const [old] = await installation.keys();
      const { key_id: keyId } = await installation.json<{ key_id: string }>('key', 'add');
      await installation.readKeys(...servers);
      const rotated = await installation.json<Rotated>('key', 'rotate', '--yes');
      expect(rotated).toMatchObject({ key_id: keyId, changed: true, resealed: 1, left: 0 });
      expect(await installation.confirm(servers, 'T1', 0)).toEqual(accepted);
      await installation.json('key', 'retire', old?.key_id ?? '', '--yes');
      const again = await installation.start();
      expect(await installation.confirm([again, again], 'T1', 1)).toEqual(accepted);
      const answer = await installation.ask(again, '/monitoring/storageEncryption', {});
      expect(answer.result.value).toBe(true);
    } finally {
      await installation.remove();
      hsm.remove();
    }
  });
});

/** The constant load of customers and administrators. */
class Load {
  readonly #installation: KeyInstallation;
  readonly #servers: readonly [ServerProcess, ServerProcess];
  readonly #trouble: unknown[] = [];
  readonly #counters = new Map<string, number>();
  #isOver = false;
  #running: readonly Promise<void>[] = [];
  #enrolled = 0;
  #pins = 0;

  constructor(installation: KeyInstallation, servers: readonly [ServerProcess, ServerProcess]) {
    this.#installation = installation;
    this.#servers = servers;
  }

  async begin(): Promise<void> {
    for (const serial of ['LOAD1', 'LOAD2', 'PIN1', 'PIN2']) {
      await this.#enrol(serial);
    }
    this.#running = [
      ...['LOAD1', 'LOAD2'].map((serial) => this.#repeat(() => this.#confirm(serial, this.#servers))),
      this.#repeat((turn) => this.#enrol(`MORE${turn}`)),
      this.#repeat((turn) => this.#setPin(turn)),
    ];
  }

  async end(): Promise<{ trouble: readonly unknown[]; confirmed: number; enrolled: number; pins: number }> {
    this.#isOver = true;
    await Promise.all(this.#running);
    const confirmed = [...this.#counters.values()].reduce((sum, count) => sum + count, 0);
    return { trouble: this.#trouble, confirmed, enrolled: this.#enrolled, pins: this.#pins };
  }

  /** A transaction of every token without a PIN. @returns the faults */
  async confirmAll(servers: readonly [ServerProcess, ServerProcess]): Promise<readonly unknown[]> {
    for (const serial of this.#counters.keys()) {
      if (!serial.startsWith('PIN')) {
        await this.#confirm(serial, servers);
      }
    }
    return this.#trouble;
  }

  async #repeat(work: (turn: number) => Promise<void>): Promise<void> {
    for (let turn = 0; !this.#isOver; turn += 1) {
      await work(turn).catch((error: unknown) => this.#trouble.push(String(error)));
      await sleep(20);
    }
  }

  async #confirm(serial: string, servers: readonly [ServerProcess, ServerProcess]): Promise<void> {
    const counter = this.#counters.get(serial) ?? 0;
    const value = await this.#installation.confirm([...servers], serial, counter);
    if (JSON.stringify(value) !== JSON.stringify(accepted)) {
      this.#trouble.push([serial, counter, value]);
    }
    this.#counters.set(serial, counter + 1);
  }

  async #enrol(serial: string): Promise<void> {
    const done = await this.#installation.enrol(this.#servers[this.#enrolled % 2 === 0 ? 0 : 1], serial);
    if (done !== true) {
      this.#trouble.push([serial, done]);
    }
    this.#enrolled += 1;
    this.#counters.set(serial, 0);
  }

  async #setPin(turn: number): Promise<void> {
    const serial = turn % 2 === 0 ? 'PIN1' : 'PIN2';
    const { result } = await this.#installation.ask(this.#servers[turn % 3 === 0 ? 0 : 1], '/admin/set', {
      serial,
      pin: `pin ${turn}`,
    });
    if (result.error !== undefined) {
      this.#trouble.push([serial, result.error]);
    }
    this.#pins += 1;
  }
}
