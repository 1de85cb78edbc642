import { z } from 'zod';
import type { GrantedExport } from '../../audit/audit-reading.ts';
import type { ExportFormat } from '../../audit/export-trail.ts';
import type { Clock } from '../../kernel/clock.ts';
import { AUDIT_FILTERS, selectedBy } from '../../operations/audit.ts';
import type { Services } from '../../services.ts';
import { type Answers, inEveryDialect } from '../answers.ts';
import { administratorEndpoint, type Endpoint } from '../endpoint-spec.ts';
import type { Reply } from '../reply.ts';
import { invalidParameter, optional } from '../request/parameters.ts';

const EXPORT: Answers = inEveryDialect({
  others: [
    {
      contentType: 'application/x-ndjson',
      meaning: 'JSON lines: a head, the rows, with checkpoints where it can be verified, the end',
    },
    { contentType: 'text/csv', meaning: 'with `format=csv`: a head and the rows (RFC 4180), no formulas' },
  ],
});

/** Not an operation: its answer is a stream. */
export function auditExportEndpoint(
  services: Pick<Services, 'auditReading' | 'people'>,
  clock: Clock,
): Endpoint {
  return administratorEndpoint(
    {
      path: '/admin/audit/export',
      methods: ['POST'],
      summary:
        'a file of the audit trail; it can be verified if it is JSON lines and no filter but times is given',
      requires: 'admin:audit',
      answers: EXPORT,
      answerHeaders: {
        'Content-Disposition': 'the name of the file',
        'X-Audit-Verifiable': '`yes`, or `no` for CSV, selected rows, and callers who are bound to realms',
      },
      changesState: true,
      parameters: z.strictObject({ ...AUDIT_FILTERS, format: optional('`jsonl` (default) or `csv`', 'csv') }),
    },
    async ({ caller, parameters: { format, ...filters } }) => {
      const selected = await selectedBy(services, caller, filters);
      const granted = await services.auditReading.grantExport(caller, {
        ...selected,
        format: formatOf(format),
      });
      return fileReply(granted, clock.now());
    },
  );
}

function formatOf(text: string | undefined): ExportFormat {
  const format = text === undefined || text === '' ? 'jsonl' : text;
  if (format !== 'jsonl' && format !== 'csv') {
    throw invalidParameter('format', 'The format must be jsonl or csv');
  }
  return format;
}

function fileReply({ format, isVerifiable, write }: GrantedExport, at: Date): Reply {
  const time = at.toISOString().slice(0, 19).replaceAll(':', '-');
  return {
    status: 200,
    contentType: format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson; charset=utf-8',
    headers: {
      'Content-Disposition': `attachment; filename="audit${isVerifiable ? '' : '-extract'}-${time}Z.${format}"`,
      'X-Audit-Verifiable': isVerifiable ? 'yes' : 'no',
    },
    stream: async (take) => {
      await write(take);
    },
  };
}
