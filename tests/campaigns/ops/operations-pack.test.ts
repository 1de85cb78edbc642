import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { runCli } from '../../cli/cli-process.ts';
import { databaseOfTests } from '../../support/database/test-database.ts';
import { ServerClient } from '../../support/servers/server-client.ts';
import { type ServerProcess, startServerProcess } from '../../support/servers/server-process.ts';
import { findSystemProgram } from '../../support/servers/program-paths.ts';
import { describeWithProgram } from '../../support/servers/system-programs.ts';
import { temporaryFolder } from '../../support/values/temporary-folder.ts';
import { dashboardQueries, OPS, readRules } from './prometheus-server.ts';
import { promtool, type PrometheusServer, startPrometheus } from './prometheus-server.ts';

const RULES = join(OPS, 'prometheus');
const FILES = ['tankeeper.rules.yml', 'tankeeper.alerts.yml'];
/** Enough for two scrapes, an evaluation of the rules and the first round of housekeeping. */
const DATA_TIMEOUT_MS = 300_000;

describeWithProgram('promtool', findSystemProgram('promtool'), 'prometheus', () => {
  it('finds no fault in rules and configuration, and the tests of the rules pass', () => {
    expect(promtool(['check', 'rules', ...FILES], { cwd: RULES })).toMatchObject({ status: 0 });
    expect(promtool(['check', 'config', '--syntax-only', 'prometheus.yml'], { cwd: RULES })).toMatchObject({
      status: 0,
    });
    expect(promtool(['test', 'rules', 'tankeeper.tests.yml'], { cwd: RULES })).toMatchObject({ status: 0 });
  });
});

describeWithProgram('Prometheus', findSystemProgram('prometheus'), 'prometheus', (program) => {
  let server: ServerProcess;
  let client: ServerClient;
  let prometheus: PrometheusServer;

  afterAll(async () => {
    await prometheus.stop();
    expect((await server.stop()).code).toBe(0);
  });
  const folder = temporaryFolder();
  const database = databaseOfTests();

  beforeAll(async () => {
    const environment = { DATABASE_URL: database.url, DATA_DIR: folder, METRICS_PORT: '0' };
    server = await startServerProcess(environment);
    client = await ServerClient.open(server);
    for (const command of [
      'resolver add people --kind managed',
      'realm add bank --resolvers people',
      'user add ann people',
    ]) {
      await runCli(command.split(' '), environment);
    }
    prometheus = await startPrometheus(program, configure(), folder);
  });

  /** @returns the path of the example configuration for this server, with a short interval */
  function configure(): string {
    FILES.forEach((name) => {
      cpSync(join(RULES, name), join(folder, name));
    });
    const example = readFileSync(join(RULES, 'prometheus.yml'), 'utf8');
    const own = example.replace('127.0.0.1:9464', metricsAddress()).replaceAll(': 15s', ': 3s');
    const path = join(folder, 'prometheus.yml');
    writeFileSync(path, own);
    return path;
  }

  function metricsAddress(): string {
    return `127.0.0.1:${/"Listening for metrics".*"port":(\d+)/.exec(server.output())?.[1] ?? ''}`;
  }

  /** @returns a function that sends some more */
  async function traffic(): Promise<() => Promise<void>> {
    const transaction = await client.openTransaction('T1');
    await client.check({ ...transaction, tan: '00000000' });
    await client.check(transaction);
    await client.check(transaction);
    await client.get('/monitoring/tokens');
    return async () => {
      await client.check(transaction);
      await client.get('/monitoring/userinfo');
    };
  }

  it('gets data for every query of the dashboard and for every recording rule', async () => {
    const recorded = readRules('tankeeper.rules.yml').map(({ name }) => name);
    expect(recorded.length).toBeGreaterThan(2);
    const queries = [...dashboardQueries(), ...recorded.map((name) => ['rule', name] as const)];
    expect(queries.length).toBeGreaterThan(30);
    const deadline = performance.now() + DATA_TIMEOUT_MS;
    let missing: readonly string[];
    const more = await traffic();
    do {
      await more();
      await sleep(500);
      missing = [];
      for (const [title, query] of queries) {
        if ((await prometheus.query(query)).length === 0) {
          missing = [...missing, `${title}: ${query}`];
        }
      }
    } while (missing.length > 0 && performance.now() < deadline);
    expect(missing).toEqual([]);
  });

  it('can evaluate every alert', async () => {
    const alerts = readRules('tankeeper.alerts.yml');
    expect(alerts.length).toBeGreaterThan(15);
    for (const { expression } of alerts) {
      await prometheus.query(expression);
    }
  });

  it('finds no fault in the metrics', async () => {
    const input = await (await fetch(`http://${metricsAddress()}/metrics`)).text();
    expect(input).toContain('tankeeper_build_info');
    expect(promtool(['check', 'metrics'], { input })).toEqual({ status: 0, output: '' });
  });
});
