import { describe, expect, it } from '@jest/globals';
import { allMetrics } from '../../scripts/metrics-reference.ts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  dashboardQueries,
  OPS,
  metricsOf,
  readDashboard,
  readRules,
} from '../campaigns/ops/prometheus-server.ts';
import { compareWithLedger, isMeant, readLedger } from '../support/values/compatibility-ledger.ts';
import { parseExactly } from '../support/vectors/vectors.ts';

const RULES = [...readRules('tankeeper.rules.yml'), ...readRules('tankeeper.alerts.yml')];

describe('ops', () => {
  it('names only metrics that there are', () => {
    const declared = allMetrics()
      .declared()
      .flatMap(({ name, type }) => (type === 'histogram' ? [`${name}_bucket`] : [name]));
    const named = [
      ...RULES.map(({ expression }) => expression),
      ...dashboardQueries().map(([, query]) => query),
    ];
    const unknown = named.flatMap(metricsOf).filter((name) => name !== 'up' && !declared.includes(name));
    expect(named.length).toBeGreaterThan(40);
    expect([...new Set(unknown)]).toEqual([]);
  });

  it('holds back only alerts that there are', () => {
    const text = readFileSync(join(OPS, 'prometheus/alertmanager.yml'), 'utf8');
    const single = [...text.matchAll(/alertname = (\w+)/g)].map(([, name = '']) => name);
    const several = [...text.matchAll(/alertname =~ "Tankeeper\(([\w|]+)\)"/g)].flatMap(([, names = '']) =>
      names.split('|').map((name) => `Tankeeper${name}`),
    );
    const alerts = readRules('tankeeper.alerts.yml').map(({ name }) => name);
    expect(single.length + several.length).toBeGreaterThan(8);
    expect([...single, ...several].filter((name) => !alerts.includes(name))).toEqual([]);
  });

  it('has a dashboard of panels that every Grafana has, on one source of data that is chosen there', () => {
    const { panels, templating, uid, schemaVersion } = readDashboard();
    expect({ uid, isCurrent: schemaVersion >= 36 }).toEqual({ uid: 'tankeeper', isCurrent: true });
    expect([...new Set(panels.map(({ type }) => type))].sort()).toEqual(['row', 'stat', 'timeseries']);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const others = panels.filter(
      ({ type, datasource }) => type !== 'row' && datasource?.uid !== '${datasource}',
    );
    expect(others).toEqual([]);
    expect(templating.list.map(({ name, type }) => [name, type])).toEqual([
      ['datasource', 'datasource'],
      ['job', 'query'],
      ['instance', 'query'],
    ]);
    expect(panels.filter(({ type }) => type === 'row').map(({ title }) => title)).toEqual([
      'Overview',
      'Traffic',
      'Outcomes',
      'Latency',
      'Tokens',
      'Resolvers',
      'Database',
      'Housekeeping',
    ]);
  });

  it('has a dashboard whose panels do not overlap', () => {
    const places = readDashboard().panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)} ${y + Math.floor(cell / w)}`),
    );
    expect(new Set(places).size).toBe(places.length);
    expect(places.filter((place) => Number(place.split(' ')[0]) >= 24)).toEqual([]);
  });
});

describe('the compatibility ledger', () => {
  it('has an entry for each pattern', () => {
    const reason = 'RFC 6287 §5.2 allows responses of 0 and 4 to 10 digits.';
    expect(readLedger().slice(0, 2)).toEqual([
      { file: 'linotp-suite-parse', pattern: 'OCRA-1:HOTP-SHA1-1:QN08', reason },
      { file: 'linotp-suite-parse', pattern: 'OCRA-1:HOTP-SHA1-3:QN08', reason },
    ]);
  });

  it('knows no wildcard but the star', () => {
    expect(isMeant('a * => (1.5)', 'a bc => (1.5)')).toBe(true);
    expect(isMeant('a * => (1.5)', 'a bc => (105)')).toBe(false);
    expect(isMeant('a', 'ab')).toBe(false);
  });

  it('tells of unlisted, needless and stale', () => {
    const ledger = [
      { file: 'f', pattern: 'a*', reason: '' },
      { file: 'f', pattern: 'z', reason: '' },
    ];
    const rows = [
      { name: 'a1', holds: false },
      { name: 'a2', holds: true },
      { name: 'b', holds: false },
    ];
    expect(compareWithLedger('f', rows, ledger)).toEqual({
      unlisted: ['b'],
      needless: ['a2'],
      stale: ['z'],
    });
  });

  it('has a reason for each of its lines', () => {
    const ledger = readLedger();
    expect(ledger.length).toBeGreaterThan(20);
    expect(ledger.every(({ reason }) => reason.length > 5)).toBe(true);
  });
});

describe('parseExactly', () => {
  it('keeps numbers beyond 2^53 as text', () => {
    expect(parseExactly('{"C": 18446744073709551615, "D": 5, "E": "12345678901234567890"}')).toEqual({
      C: '18446744073709551615',
      D: 5,
      E: '12345678901234567890',
    });
  });
});
