import { z } from 'zod';
import { CONSEQUENCES } from '../consequences/consequence.ts';
import { metaOf } from '../operations/input.ts';
import type { Operation } from '../operations/operation.ts';
import { fieldsOf, shown, shownSchema } from '../operations/shown.ts';
import type { RequiredRights } from '../policy/access-control.ts';
import type { Services } from '../services.ts';
import { type EnvelopeAnswer, inEveryDialect } from './answers.ts';
import { administratorEndpoint, type Endpoint } from './endpoint-spec.ts';
import { unlessKnown } from './reply.ts';

/** Of operations that change nothing. */
const KNOWN = {
  others: [{ status: 304, meaning: 'nothing has changed since the answer with the tag in `If-None-Match`' }],
} as const;
const TAG = {
  ETag: 'the version of the answer: sent in `If-None-Match`, it is answered with 304 until there is another',
};

/** @returns the path of an operation: `webhook add` is at /admin/webhook/add */
function operationPath({ name }: Pick<Operation, 'name'>): `/${string}` {
  return `/admin/${name.replaceAll(' ', '/')}`;
}

/** @returns the operation as programs and the console call it, and what follows from it where it asks */
export function operationEndpoints(operation: Operation, services: Services): readonly Endpoint[] {
  return [
    operationEndpoint(operation, services),
    ...(showsConsequences(operation) ? [operationEndpoint(consequencesOf(operation), services)] : []),
  ];
}

/** What would follow is not bounded by realms: where rights are, only the command tells it. */
function showsConsequences(operation: Operation): boolean {
  const rights = [operation.right].flat(2);
  return (
    operation.asks !== undefined &&
    operation.asksByCommand !== true &&
    rights.every((right) => right.startsWith('system:'))
  );
}

/** @returns the operation that only tells what would follow, for which no secret is needed */
function consequencesOf(operation: Operation): Operation {
  const { name, right } = operation;
  const input = z.strictObject(
    Object.fromEntries(fieldsOf(operation.input).filter(([, field]) => metaOf(field).secret !== true)),
  );
  return {
    name: `${name} consequences`,
    does: `what would follow from \`${name}\`; changes nothing`,
    right,
    changes: false,
    input,
    output: CONSEQUENCES,
    run: (services, caller, parameters) =>
      operation.asks?.(services, caller, parameters) ?? Promise.resolve([]),
  };
}

function operationEndpoint(operation: Operation, services: Services): Endpoint {
  const { does, right, changes, input, output } = operation;
  const rights: RequiredRights = typeof right === 'string' ? [right] : right;
  const [first] = rights;
  let envelope: EnvelopeAnswer | undefined;
  return administratorEndpoint(
    {
      path: operationPath(operation),
      methods: changes ? ['POST'] : ['GET', 'POST'],
      summary: does,
      requires: typeof first === 'string' ? first : 'credential',
      rights,
      changesState: changes,
      parameters: input,
      answers: inEveryDialect({
        ...(changes ? {} : KNOWN),
        // Made when the description is first read, so that a start does not wait for it.
        get envelope() {
          return (envelope ??= { result: { value: shownSchema(output) } });
        },
      }),
      ...(changes ? {} : { answerHeaders: TAG }),
    },
    async ({ caller, parameters, context, dialect, ifNoneMatch }) => {
      const value = shown(output, await operation.run(services, caller, parameters));
      const reply = dialect.administration.value(value, context);
      return changes ? reply : unlessKnown(reply, ifNoneMatch);
    },
  );
}
