import { describe, expect, it } from '@jest/globals';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { describedInterface } from '../../../scripts/described-interface.ts';
import type { OpenApiDocument } from '../../../src/http/description/openapi-document.ts';

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

/** @returns the component that a reference leads to, if any */
function componentAt(reference: string, { components }: OpenApiDocument): unknown {
  const [, kind = '', name = ''] = /^#\/components\/(\w+)\/([\w-]+)$/.exec(reference) ?? [];
  const byKind: Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>> = { ...components };
  return byKind[kind]?.[name];
}

/** @returns the references in a part of the document that lead to no component, or back to themselves */
function faultsOf(
  part: unknown,
  document: OpenApiDocument,
  above: readonly string[] = [],
): readonly string[] {
  if (typeof part !== 'object' || part === null) {
    return [];
  }
  const { $ref: reference } = part as { readonly $ref?: unknown };
  if (typeof reference !== 'string') {
    return Object.values(part).flatMap((member) => faultsOf(member, document, above));
  }
  const component = componentAt(reference, document);
  return component === undefined || above.includes(reference)
    ? [reference]
    : faultsOf(component, document, [...above, reference]);
}

describe('the description', () => {
  it('has no finding of the linter', async () => {
    expect(await findingsIn(describedInterface())).toEqual([]);
  });

  it('has examples that are as described: the linter finds one that is not', async () => {
    const text = JSON.stringify(describedInterface());
    const wrong = text.replace(
      '"value":{"failcount":0,"result":true}',
      '"value":{"failcount":"0","result":true}',
    );
    expect(wrong).not.toBe(text);
    expect(await findingsIn(JSON.parse(wrong) as OpenApiDocument)).toContainEqual(
      expect.stringContaining('no-invalid-media-type-examples'),
    );
  });

  it('has an example of the main answers', () => {
    const { paths } = describedInterface();
    for (const path of ['/ocra/request', '/ocra/check_t', '/ocra/checkstatus', '/admin/init']) {
      expect(paths[path]?.get?.responses['200']).toMatchObject({
        content: { 'application/json': { examples: { success: { value: expect.anything() } } } },
      });
    }
  });

  it('refers to its own components, and never in a circle: the page /docs follows no others', () => {
    const document = describedInterface();
    expect(faultsOf(document.paths, document)).toEqual([]);
    expect(faultsOf({ $ref: '#/components/schemas/Nothing' }, document)).not.toEqual([]);
  });

  it('has a description of every parameter', () => {
    const { paths } = describedInterface();
    const parameters = Object.values(paths).flatMap((item) => item.get?.parameters ?? []);
    expect(parameters.length).toBeGreaterThan(100);
    expect(parameters.filter((one) => !('$ref' in one) && one.description === undefined)).toEqual([]);
  });

  it('marks POST on /monitoring as deprecated, and nothing else', () => {
    const { paths } = describedInterface();
    const deprecated = Object.entries(paths).flatMap(([path, { get, post }]) =>
      [get, post].flatMap((operation) =>
        operation?.deprecated === true ? [`${operation.operationId} ${path}`] : [],
      ),
    );
    expect(deprecated).toHaveLength(6);
    expect(deprecated.filter((one) => !/^postMonitoring\w+ \/monitoring\//.test(one))).toEqual([]);
  });
});
