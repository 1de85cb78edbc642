import { describe, expect, it } from '@jest/globals';
import { allMetrics } from '../../scripts/metrics-reference.ts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dashboardQueries, OPS, metricsOf, readDashboard, readRules } from '../campaigns/ops/queries.ts';

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
