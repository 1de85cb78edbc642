import { describe, expect, it } from '@jest/globals';
import { Command } from 'commander';
import { describedProgram } from '../../scripts/command-reference.ts';
import { type Contract, contractOf } from '../../scripts/contract.ts';
import { contractBreaks } from '../../scripts/contract-breaks.ts';
import { describedInterface } from '../../scripts/described-interface.ts';
import { allMetrics } from '../../scripts/metrics-reference.ts';
import type { JsonSchema } from '../../src/http/description/envelopes.ts';
import type { OpenApiDocument } from '../../src/http/description/openapi-document.ts';
import { VARIABLES } from '../../src/config/variables.ts';

const ASKED = {
  type: 'object',
  properties: {
    serial: { type: 'string' },
    state: { type: 'string', enum: ['on', 'off'] },
    count: { type: 'integer' },
  },
  required: ['serial'],
};
const GIVEN = {
  type: 'object',
  properties: {
    tokens: { type: 'array', items: { $ref: '#/components/schemas/Token' } },
    next: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    state: { type: 'string', enum: ['on', 'off'] },
  },
  required: ['tokens'],
};
const TOKEN = { type: 'object', properties: { serial: { type: 'string' } }, required: ['serial'] };

interface Parts {
  readonly path?: string;
  readonly asked?: JsonSchema;
  readonly given?: JsonSchema;
  readonly token?: JsonSchema;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly command?: (program: Command) => unknown;
  readonly variable?: string;
  readonly labels?: readonly string[];
}

function contract(parts: Parts = {}): Contract {
  const {
    path = '/token',
    asked = ASKED,
    given = GIVEN,
    token = TOKEN,
    security = [{ password: [] }],
  } = parts;
  const json = (schema: JsonSchema): unknown => ({ content: { 'application/json': { schema } } });
  const answer = { anyOf: [given, { $ref: '#/components/schemas/Failure' }] };
  const post = { security, parameters: [], requestBody: json(asked), responses: { 200: json(answer) } };
  const program = new Command();
  const add = parts.command ?? ((one) => one.command('lock <serial>').option('-r, --reason <text>'));
  add(program);
  return contractOf({
    version: '1.0.0',
    description: {
      paths: { [path]: { post } },
      components: { schemas: { Token: token, Failure: { type: 'string' } } },
    } as unknown as OpenApiDocument,
    program,
    variables: [{ name: parts.variable ?? 'PORT' }],
    metrics: [{ name: 'answers_total', type: 'counter', labels: parts.labels ?? ['outcome'] }],
  });
}

function withProperty(schema: JsonSchema, name: string, value: JsonSchema | undefined): JsonSchema {
  // What is undefined, JSON leaves out.
  const properties = { ...(schema.properties as object), [name]: value };
  return JSON.parse(JSON.stringify({ ...schema, properties })) as JsonSchema;
}

describe('the contract of a release', () => {
  it.each<[string, Parts, string]>([
    ['another path', { path: '/tokens' }, '/token is gone'],
    ['a parameter less', { asked: withProperty(ASKED, 'count', undefined) }, '/token: count is gone'],
    [
      'a parameter of another type',
      { asked: withProperty(ASKED, 'count', { type: 'boolean' }) },
      '/token: count takes integer no longer',
    ],
    [
      'a value less',
      { asked: withProperty(ASKED, 'state', { type: 'string', enum: ['on'] }) },
      '/token: state takes "off" no longer',
    ],
    [
      'a parameter that is required now',
      { asked: { ...ASKED, required: ['serial', 'count'] } },
      '/token: count is required',
    ],
    [
      'a new parameter that is required',
      { asked: { ...withProperty(ASKED, 'realm', { type: 'string' }), required: ['serial', 'realm'] } },
      '/token: realm is new and required',
    ],
    [
      'parameters that are refused now',
      { asked: { ...ASKED, additionalProperties: false } },
      '/token: other parameters is gone',
    ],
    ['a way to authenticate less', { security: [{ apiToken: [] }] }, '/token: post by password is gone'],
    ['a field less', { token: { type: 'object' } }, '/token: tokens.[].serial is gone'],
    [
      'a field of another type',
      { given: withProperty(GIVEN, 'next', { type: 'integer' }) },
      '/token: next may be integer',
    ],
    ['a field that may be missing', { given: { ...GIVEN, required: [] } }, '/token: tokens may be missing'],
    ['a command less', { command: () => undefined }, 'tankeeper lock is gone'],
    [
      'an option less',
      { command: (program) => program.command('lock <serial>').option('--reason <text>') },
      'tankeeper lock: -r is gone',
    ],
    [
      'an argument that is required now',
      { command: (program) => program.command('lock <serial> <why>').option('-r, --reason <text>') },
      'tankeeper lock: argument 2 is new and required',
    ],
    ['another name of a variable', { variable: 'HTTP_PORT' }, 'variables: PORT is gone'],
    ['a label less', { labels: [] }, 'answers_total: outcome is gone'],
  ])('is broken by %s', (_what, parts, found) => {
    expect(new Set(contractBreaks(contract(), contract(parts)))).toEqual(new Set([found]));
  });

  it('is kept by more of everything, and by answers that say more precisely what they say', () => {
    const more = contract({
      asked: {
        ...withProperty(withProperty(ASKED, 'count', { type: ['number', 'null'] }), 'realm', {
          type: 'string',
        }),
        required: [],
      },
      given: {
        ...withProperty(withProperty(GIVEN, 'next', { type: 'string', const: 'a' }), 'sum', {
          type: 'integer',
        }),
        required: ['tokens', 'sum', 'next'],
      },
      security: [{ password: [] }, { apiToken: [] }],
      command: (program) => {
        program.command('lock <serial> [more]').option('-r, --reason <text>').option('--all');
        program.command('unlock <serial>').requiredOption('--reason <text>');
      },
      labels: ['outcome', 'reason'],
    });
    expect(contractBreaks(contract(), more)).toEqual([]);
  });

  it('names all that is declared', () => {
    const declared = contractOf({
      version: '1.0.0',
      description: describedInterface(),
      program: describedProgram(),
      variables: VARIABLES,
      metrics: allMetrics().declared(),
    });
    expect(declared.asked['/ocra/request']).toMatchObject({
      data: 'string, required',
      'post by apiToken': 'request',
    });
    expect(declared.given['/ocra/request']).toMatchObject({ 'detail.transactionid': 'string, required' });
    expect(declared.given['/admin/token/list']).toMatchObject({
      'result.value.tokens.[].owner.login': 'string, required',
    });
    // By GET and POST, with parameters and without; those of LinOTP's paths are ignored.
    const paths = ['/admin/token/list', '/admin/realm/list', '/monitoring/tokens', '/monitoring/config'];
    expect(paths.map((path) => declared.asked[path]?.['other parameters'])).toEqual([
      undefined,
      undefined,
      'ignored',
      'ignored',
    ]);
    expect(declared.asked['tankeeper token list']).toMatchObject({ '--user': 'value', '--status': 'value' });
    expect(declared.asked.variables).toHaveProperty('DATABASE_URL');
    expect(declared.given.tankeeper_responses_total).toEqual({
      value: 'counter',
      outcome: 'label',
      reason: 'label',
    });
  });
});
