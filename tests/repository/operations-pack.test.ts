import { describe, expect, it } from '@jest/globals';
import { allMetrics } from '../../scripts/metrics-reference.ts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dashboardQueries, OPS, metricsOf, readRules } from '../campaigns/ops/prometheus-server.ts';
import { compareWithLedger, readLedger } from '../support/values/compatibility-ledger.ts';
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
});

describe('the compatibility ledger', () => {
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
