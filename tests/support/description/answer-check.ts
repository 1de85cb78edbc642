import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { OpenApiDocument, Operation } from '../../../src/http/description/openapi-document.ts';
import type { Response } from '../../../src/http/description/envelopes.ts';

/** An answer, and the request line that it belongs to. */
export interface SentAnswer {
  readonly method: string;
  /** With the query string. */
  readonly url: string;
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
}

interface Described {
  readonly response: Response;
  /** The JSON pointer of the response. */
  readonly pointer: string;
}

const ALLOWED = { description: '', headers: { Allow: { description: '', required: true, schema: {} } } };

/** The operations that describe a method. */
const OPERATIONS: Readonly<Record<string, 'get' | 'post'>> = { GET: 'get', HEAD: 'get', POST: 'post' };

/** Compares answers with the description of the interface. */
export class AnswerCheck {
  readonly #document: OpenApiDocument;
  readonly #ajv = new Ajv2020({
    strict: false,
    validateFormats: false,
    // Each schema judges a few answers: it is not worth more work than that.
    inlineRefs: false,
    code: { optimize: false },
  });

  constructor(document: OpenApiDocument) {
    this.#document = document;
    this.#ajv.addSchema({ ...document }, 'interface', undefined, false);
  }

  /** @returns the difference of the answer from its description; undefined: there is none */
  faultIn(answer: SentAnswer): string | undefined {
    const described = this.#describedResponse(answer);
    if (described === undefined) {
      return 'the status is not described';
    }
    const missing = this.#missingHeader(described.response, answer);
    return missing === undefined
      ? this.#faultInContent(described, answer)
      : `the header ${missing} is missing`;
  }

  #describedResponse({ method, url, status }: SentAnswer): Described | undefined {
    // A file has any name.
    const path = pathOf(url).replace(/^(\/system\/getPolicy)\/[^/]+$/, '$1/policy.cfg');
    const item = this.#document.paths[path];
    if (item === undefined) {
      return [404, 429].includes(status) ? this.#failureWithout() : undefined;
    }
    if (method === 'OPTIONS' && status === 204) {
      return { response: ALLOWED, pointer: '' };
    }
    const key = OPERATIONS[method];
    const operation = key === undefined ? undefined : item[key];
    if (operation === undefined) {
      return status === 405 ? this.#failureWithout() : this.#failureOf(path, status);
    }
    return this.#responseOf(operation, `/paths/${escaped(path)}/${key ?? ''}`, { method, url, status });
  }

  /** A failure that comes before the method is checked: that of any other operation of the path. */
  #failureOf(path: string, status: number): Described | undefined {
    const item = this.#document.paths[path];
    const key = item?.get === undefined ? 'post' : 'get';
    const operation = item?.[key];
    return operation === undefined || status < 400
      ? undefined
      : this.#responseOf(operation, `/paths/${escaped(path)}/${key}`, { method: '', url: '', status });
  }

  #responseOf(
    { responses }: Operation,
    pointer: string,
    { method, url, status }: Pick<SentAnswer, 'method' | 'url' | 'status'>,
  ): Described | undefined {
    // A body may hold `httperror`, too.
    const mayRequest = status >= 400 && (method === 'POST' || /[?&]httperror=/i.test(url));
    const key = String(status) in responses ? String(status) : mayRequest ? 'default' : undefined;
    const response = key === undefined ? undefined : responses[key];
    if (key === undefined || response === undefined) {
      return undefined;
    }
    return '$ref' in response
      ? this.#component(response.$ref)
      : { response, pointer: `${pointer}/responses/${key}` };
  }

  /** The answer to an unknown path or method, which no operation describes. */
  #failureWithout(): Described | undefined {
    return this.#component('#/components/responses/Failure');
  }

  #component(ref: string): Described | undefined {
    const name = ref.split('/').at(-1) ?? '';
    const response = this.#document.components.responses[name];
    return response === undefined ? undefined : { response, pointer: ref.slice(1) };
  }

  #missingHeader({ headers }: Response, answer: SentAnswer): string | undefined {
    return Object.entries(headers).find(([name, header]) => {
      const known =
        '$ref' in header ? this.#document.components.headers[header.$ref.split('/').at(-1) ?? ''] : header;
      return known?.required === true && answer.headers[name.toLowerCase()] === undefined;
    })?.[0];
  }

  #faultInContent(
    { response, pointer }: Described,
    { method, headers, body }: SentAnswer,
  ): string | undefined {
    const { content } = response;
    const given = headers['content-type'];
    if (content === undefined) {
      return given === undefined && body.length === 0 ? undefined : 'there is content, and none is described';
    }
    const [type = '', ...parameters] = String(given).split(/;\s*/);
    if (!Object.hasOwn(content, type) || parameters.some((one) => /^charset=(?!utf-8$)/i.test(one))) {
      return `the content type ${String(given)} is not described`;
    }
    if (type !== 'application/json' || method === 'HEAD') {
      return undefined;
    }
    return this.#faultInJson(`${pointer}/content/${escaped(type)}/schema`, body);
  }

  #faultInJson(pointer: string, body: Buffer): string | undefined {
    const validate: ValidateFunction | undefined = this.#ajv.getSchema(`interface#${pointer}`);
    if (validate === undefined) {
      return `there is no schema at ${pointer}`;
    }
    const text = body.toString('utf8');
    return validate(parsed(text))
      ? undefined
      : `${this.#ajv.errorsText(validate.errors, { dataVar: 'answer' })}\n${text.slice(0, 2_000)}`;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function pathOf(url: string): string {
  return url.replace(/[?#].*$/s, '');
}

/** @returns a segment of a JSON pointer in a URI */
function escaped(segment: string): string {
  return encodeURIComponent(segment.replaceAll('~', '~0').replaceAll('/', '~1'));
}
