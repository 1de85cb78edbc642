import { type Operation } from '../operations/operation.ts';
import { shown, shownSchema } from '../operations/shown.ts';
import type { Services } from '../services.ts';
import { inEveryDialect, valueOf } from './answers.ts';
import { administratorEndpoint, type Endpoint } from './endpoint-spec.ts';

/** @returns the path of an operation: `webhook add` is at /admin/webhook/add */
function operationPath({ name }: Pick<Operation, 'name'>): `/${string}` {
  return `/admin/${name.replaceAll(' ', '/')}`;
}

/** @returns the operation as programs and the console call it */
export function operationEndpoint(operation: Operation, services: Services): Endpoint {
  const { does, right, changes, input, output } = operation;
  return administratorEndpoint(
    {
      path: operationPath(operation),
      methods: changes ? ['POST'] : ['GET', 'POST'],
      summary: does,
      requires: right,
      changesState: changes,
      parameters: input,
      answers: inEveryDialect(valueOf(shownSchema(output))),
    },
    async ({ caller, parameters, context, dialect }) =>
      dialect.administration.value(shown(output, await operation.run(services, caller, parameters)), context),
  );
}
