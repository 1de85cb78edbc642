import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventualRefusal } from '../support/application/eventual-refusal.ts';
import { checkConfig, describeConfig, loadConfig } from '../../src/config/config.ts';
import { fileKeyOf, readConfigFile } from '../../src/config/config-file.ts';
import { VARIABLES } from '../../src/config/variables.ts';

let folder: string;
let path: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tankeeper-config-file-'));
  path = join(folder, 'tankeeper.yaml');
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** Writes the file, for its owner alone. */
function write(text: string | Buffer, mode = 0o600): void {
  writeFileSync(path, text);
  chmodSync(path, mode);
}

/** @returns the faults of the file, without its path */
async function faultsOf(text: string): Promise<readonly string[]> {
  write(text);
  const { faults } = await checkConfig(path, {});
  return faults.map((fault) => fault.replace(`${path}:`, '').replace(path, 'FILE'));
}

describe('a configuration file', () => {
  it('configures like variables, which go before it', async () => {
    write(
      [
        '# comment',
        'host: 0.0.0.0',
        'port: 8080',
        'trustProxy: [10.0.0.0/8, loopback]',
        'databasePreparedStatements: off',
        'monitoringPost: false',
        'monitoringPostSunset: 2027-12-31',
        'auditRetention: 400D',
        'serviceVersion: null',
        'logLevel: "debug"',
      ].join('\n'),
    );
    const file = await readConfigFile(path);
    expect(loadConfig({ PORT: '9090', HOST: '' }, file)).toMatchObject({
      host: '0.0.0.0',
      port: 9090,
      trustProxy: ['10.0.0.0/8', 'loopback'],
      databasePreparedStatements: 'off',
      monitoringPost: 'off',
      monitoringPostSunset: new Date('2027-12-31T00:00:00Z'),
      auditRetention: 34_560_000,
      serviceVersion: undefined,
      logLevel: 'debug',
    });
    const rows = describeConfig({ PORT: '9090' }, file);
    const sources = Object.fromEntries(rows.map(({ variable, source }) => [variable, source]));
    expect(sources).toMatchObject({ HOST: 'file', PORT: 'environment', DATABASE_POOL_SIZE: 'default' });
  });

  it('has a key of its own for each variable', () => {
    const keys = VARIABLES.map(({ name }) => fileKeyOf(name));
    expect(new Set(keys).size).toBe(VARIABLES.length);
    expect(keys).toEqual(expect.arrayContaining(['wireDialect', 'pkcs11PinFile', 'databaseUrl', 'host']));
  });

  it('is told of all its faults at once, with line, column and the nearest key', async () => {
    const text = ['port: 99999', 'wireDialects: linotp', '', 'HOST: x', 'colour: red', 'logLevel: loud'].join(
      '\n',
    );
    expect(await faultsOf(text)).toEqual([
      '2:1: unknown key wireDialects: did you mean wireDialect?',
      '4:1: unknown key HOST: did you mean host?',
      '5:1: unknown key colour',
      "1:1: port='99999' is not allowed. Allowed: a whole number from 0 to 65535.",
      "6:1: logLevel='loud' is not allowed. Allowed: error, warn, info, debug.",
    ]);
  });

  it.each([
    ['port: [5001', /^1:\d+: .*flow/i],
    ['port: 1\nport: 2', /^2:1: Map keys must be unique/],
    ['- a\n- b', /^1:1: the file must be a map/],
    ['host: &a x\nlogLevel: *a', /^1:1: host must be a text.*without tag, anchor or alias$/m],
    ['host: !!binary aGk=', /host must be a text|Unresolved tag/],
    ['limitClientRequests: {a: 1}', /^1:1: limitClientRequests must be a text/],
    ['---\nhost: a\n---\nhost: b', /multiple documents/],
    ['['.repeat(60_000), /nested too deeply/],
    ['- '.repeat(30_000), /nested too deeply/],
  ])('is refused: %j', async (text, fault) => {
    const faults = await faultsOf(text);
    expect(faults.join('\n')).toMatch(fault);
    const load = async (): Promise<unknown> => loadConfig({}, await readConfigFile(path));
    expect((await eventualRefusal(load())).code).toBe('configuration.invalid');
  });

  it.each([
    'DATABASE_URL=postgres://u:geheim@h/d\nport: 80',
    'databaseUrl:postgres://u:geheim@h/d\nport: 80',
    '{databaseUrl:postgres://u:geheim@h/d}',
  ])('without a blank after the colon shows no password: %j', async (text) => {
    const faults = (await faultsOf(text)).join('\n');
    expect(faults).toMatch(
      /^1:\d: unknown key (DATABASE_URL|databaseUrl)…: a key ends with a colon and a blank/m,
    );
    expect(faults).not.toContain('geheim');
  });

  it('that is a pipe is refused, not waited for', async () => {
    const pipe = join(folder, 'pipe.yaml');
    execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', pipe]);
    expect((await checkConfig(pipe, {})).faults).toEqual([
      `The configuration file ${pipe} is no regular file.`,
    ]);
  });

  it('expands nothing: a bomb of aliases is as small as its text', async () => {
    const levels = Array.from({ length: 30 }, (_, index) => {
      const below = index === 0 ? 'x' : Array.from({ length: 9 }, () => `*l${index - 1}`).join(', ');
      return `k${index}: &l${index} [${below}]`;
    });
    expect(await faultsOf(levels.join('\n'))).toHaveLength(30);
  });

  it('that is not there, too long or no text is named, with what to do', async () => {
    expect(await checkConfig(join(folder, 'none.yaml'), {})).toEqual({
      faults: [
        `The configuration file ${join(folder, 'none.yaml')} cannot be read (ENOENT): give another one by --config or TANKEEPER_CONFIG, or none.`,
      ],
      warnings: [],
    });
    expect(await faultsOf('#'.repeat(300_000))).toEqual([
      'The configuration file FILE is longer than 65536 bytes.',
    ]);
    write(Buffer.from([0xff, 0xfe, 0x00]));
    expect((await checkConfig(path, {})).faults).toEqual([
      `The configuration file ${path} is not UTF-8 text.`,
    ]);
  });

  it('with a password that others may read is warned of; the password is not shown', async () => {
    const secret = 'databaseUrl: postgres://u:geheim@h/d\nlogLevel: loud';
    write(secret, 0o644);
    const report = await checkConfig(path, {});
    expect(report.warnings).toEqual([
      `${path} holds a password (databaseUrl) and others may read it: chmod 600 ${path}`,
    ]);
    expect(JSON.stringify(report)).not.toContain('geheim');
    write(secret, 0o600);
    expect((await checkConfig(path, {})).warnings).toEqual([]);
    write('databaseUrl: postgres://u@h/d', 0o644);
    expect(await checkConfig(path, {})).toEqual({ faults: [], warnings: [] });
  });

  it('is checked together with the environment', async () => {
    write('host: a');
    expect(await checkConfig(path, { WIRE_DIALECTS: 'x', PORT: 'x', ADMIN_PASSWORD_FILE: 'y' })).toEqual({
      faults: [
        "PORT='x' is not allowed. Allowed: a whole number from 0 to 65535.",
        'unknown variable WIRE_DIALECTS: did you mean WIRE_DIALECT?',
      ],
      warnings: [],
    });
    expect(await checkConfig(undefined, {})).toEqual({ faults: [], warnings: [] });
  });
});
