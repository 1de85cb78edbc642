import { z } from 'zod';
import type { OverviewService } from '../../../monitoring/overview/overview-service.ts';
import { unlessKnown } from '../../conditional-reply.ts';
import type { AdministrationDialect } from '../../dialects/dialect.ts';
import { administratorEndpoint, type Endpoint } from '../../endpoint-spec.ts';
import { OVERVIEW } from '../answers/overview-answers.ts';
import { overviewObject } from './overview-object.ts';

/** @returns the endpoint with the state of the installation */
export function overviewEndpoint(overview: OverviewService, dialect: AdministrationDialect): Endpoint {
  return administratorEndpoint(
    {
      path: '/admin/overview',
      methods: ['GET', 'POST'],
      summary: 'the state of the installation at a glance; each part takes a right of its own',
      requires: 'credential',
      answers: OVERVIEW,
      answerHeaders: {
        ETag: 'the version of the answer: sent in `If-None-Match`, it is answered with 304 until there is another',
      },
      family: 'linotp2',
      usage: 'admin/overview: show the state of the installation.',
      changesState: false,
      parameters: z.object({}),
    },
    async ({ caller, context, ifNoneMatch }) => {
      const read = await overview.read(caller, { isAskedAgain: ifNoneMatch !== undefined });
      return unlessKnown(dialect.value(overviewObject(read), context), ifNoneMatch);
    },
  );
}
