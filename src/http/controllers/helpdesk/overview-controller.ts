import { z } from 'zod';
import type { OverviewService } from '../../../monitoring/overview/overview-service.ts';
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
      family: 'linotp2',
      usage: 'admin/overview: show the state of the installation.',
      changesState: false,
      parameters: z.object({}),
    },
    async ({ caller, context }) => dialect.value(overviewObject(await overview.read(caller)), context),
  );
}
