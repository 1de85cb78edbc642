import { describe, expect, it, jest } from '@jest/globals';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { describedIn } from '../../../scripts/described-interface.ts';
import type { OpenApiDocument } from '../../../src/http/description/openapi.ts';

jest.setTimeout(60_000);

/** @returns each finding of the linter: its rule, and where it is */
async function findingsIn(document: OpenApiDocument): Promise<string[]> {
  const config = await createConfig({
    extends: ['recommended-strict'],
    rules: {
      'no-invalid-media-type-examples': 'error',
      'no-invalid-parameter-examples': 'error',
      'no-invalid-schema-examples': 'error',
      'operation-operationId': 'error',
      'operation-operationId-unique': 'error',
    },
  });
  const source = JSON.stringify(document);
  const problems = await lintFromString({ source, absoluteRef: '/openapi.json', config });
  return problems.map(
    ({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer ?? ''}`,
  );
}

describe('the description', () => {
  it.each(['documented', 'linotp'] as const)(
    'of the dialect %s has no finding of the linter',
    async (dialect) => {
      expect(await findingsIn(describedIn(dialect))).toEqual([]);
    },
  );

  it('has examples that are as described: the linter finds one that is not', async () => {
    const text = JSON.stringify(describedIn('documented'));
    const wrong = text.replace(
      '"value":{"failcount":0,"result":true}',
      '"value":{"failcount":"0","result":true}',
    );
    expect(wrong).not.toBe(text);
    expect(await findingsIn(JSON.parse(wrong) as OpenApiDocument)).toContainEqual(
      expect.stringContaining('no-invalid-media-type-examples'),
    );
  });

  it.each(['documented', 'linotp'] as const)(
    'has an example of the main answers, in the dialect %s',
    (dialect) => {
      const { paths } = describedIn(dialect);
      for (const path of ['/ocra/request', '/ocra/check_t', '/ocra/checkstatus', '/admin/init']) {
        expect(paths[path]?.get?.responses['200']).toMatchObject({
          content: { 'application/json': { examples: { success: { value: expect.anything() } } } },
        });
      }
    },
  );

  it('has a description of every parameter', () => {
    const { paths } = describedIn('documented');
    const parameters = Object.values(paths).flatMap((item) => item.get?.parameters ?? []);
    expect(parameters.length).toBeGreaterThan(100);
    expect(parameters.filter((one) => !('$ref' in one) && one.description === undefined)).toEqual([]);
  });

  it('marks POST on /monitoring as deprecated, and nothing else', () => {
    const { paths } = describedIn('documented');
    const deprecated = Object.entries(paths).flatMap(([path, { get, post }]) =>
      [get, post].flatMap((operation) =>
        operation?.deprecated === true ? [`${operation.operationId} ${path}`] : [],
      ),
    );
    expect(deprecated).toHaveLength(6);
    expect(deprecated.filter((one) => !/^postMonitoring\w+ \/monitoring\//.test(one))).toEqual([]);
  });
});
