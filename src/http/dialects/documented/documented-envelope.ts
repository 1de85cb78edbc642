import { asciiJson, envelopeId, type EnvelopeResult } from '../../envelope.ts';
import type { Reply } from '../../reply.ts';
import type { RequestContext } from '../../request/exchange.ts';

/** The default version in answers. */
export const DOCUMENTED_VERSION = 'Tankeeper';

type Detail = Readonly<Record<string, unknown>>;

/** The envelope of the published interface description: version, jsonrpc, result, id, and an optional detail. */
export class DocumentedEnvelope {
  readonly #version: string;

  constructor(version: string) {
    this.#version = version;
  }

  /** @returns an answer with that result */
  reply(
    { parameters }: RequestContext,
    result: EnvelopeResult,
    { status = 200, detail }: { status?: number; detail?: Detail | undefined } = {},
  ): Reply {
    const envelope = {
      version: this.#version,
      jsonrpc: '2.0',
      result,
      id: envelopeId(parameters.get('id')),
      ...(detail !== undefined && { detail }),
    };
    return { status, contentType: 'application/json; charset=utf-8', body: asciiJson(envelope) };
  }

  /** @returns the answer to an operation that succeeded */
  value(context: RequestContext, value: unknown, detail?: Detail): Reply {
    return this.reply(context, { status: true, value }, { detail });
  }
}
