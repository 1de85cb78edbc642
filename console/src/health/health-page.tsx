import { Anchor, Badge } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call, type ValueOf } from '../api/call.ts';
import { Loaded } from '../design/loaded.tsx';
import { Page } from '../design/page.tsx';
import { RecordTable } from '../design/record-table.tsx';
import { WithCode } from '../design/with-code.tsx';
import { tokenAddress } from '../helpdesk/addresses.ts';
import helpdesk from '../helpdesk/helpdesk.module.css';
import { Owner } from '../helpdesk/token-owner.tsx';
import { useFormat } from '../language/format.ts';
import { useLanguage, useTexts } from '../language/language.ts';
import { useSession } from '../session/session.tsx';
import { isFailing } from '../webhooks/webhook-queries.ts';
import { findingWords } from './finding-words.ts';
import { healthTexts } from './health-texts.ts';

type Health = ValueOf<'/admin/installation/health'>;
type Installation = NonNullable<Health['installation']>;
type Responses = NonNullable<Health['responses']>;
type Refused = NonNullable<Health['refused_tokens']>;

/** Milliseconds between two looks. */
const AGAIN_MS = 30_000;
const SEVERITIES = ['error', 'warning'] as const;
const COLOURS = { error: 'red', warning: 'yellow' } as const;
const STATE_COLOURS = { available: 'green', unavailable: 'red', unknown: 'gray' } as const;

/** What needs attention in the installation, as far as the caller may see it. */
export default function HealthPage(): ReactNode {
  const t = useTexts(healthTexts);
  const health = useQuery({
    queryKey: ['health'],
    queryFn: ({ signal }) => call('/admin/installation/health', {}, { signal }),
    refetchInterval: AGAIN_MS,
  });
  return (
    <Page title={t.title} lead={t.lead}>
      <Loaded query={health}>
        {({ installation, responses, refused_tokens: refused }) => (
          <>
            {installation !== null && <FindingsPart installation={installation} />}
            <div className={helpdesk.halves}>
              {refused !== null && <RefusedPart refused={refused} />}
              {responses !== null && <ResponsePart responses={responses} />}
              {installation !== null && <InstallationParts installation={installation} />}
            </div>
          </>
        )}
      </Loaded>
    </Page>
  );
}

interface PartProps {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly children?: ReactNode;
}

function Part({ title, lead, children }: PartProps): ReactNode {
  return (
    <section className={helpdesk.section} aria-label={title}>
      <h2>{title}</h2>
      {lead !== undefined && <p className={helpdesk.quiet}>{lead}</p>}
      {children}
    </section>
  );
}

interface InstallationProps {
  readonly installation: Installation;
}

function FindingsPart({ installation: { findings, examined_at: examined } }: InstallationProps): ReactNode {
  const t = useTexts(healthTexts);
  const format = useFormat();
  return (
    <Part title={t.findings} lead={<WithCode text={t.findingsLead(format.time(examined))} />}>
      <Findings findings={findings} />
    </Part>
  );
}

function InstallationParts({ installation }: InstallationProps): ReactNode {
  const t = useTexts(healthTexts);
  const format = useFormat();
  const { last_backup_at: backup, webhooks, resolvers } = installation;
  return (
    <>
      <Part title={t.backup}>
        <p>
          <WithCode
            text={backup === null ? t.noBackup : t.lastBackup(format.time(backup), format.ago(backup))}
          />
        </p>
      </Part>
      <Webhooks webhooks={webhooks} />
      <Resolvers resolvers={resolvers} />
    </>
  );
}

function Findings({ findings }: Pick<Installation, 'findings'>): ReactNode {
  const t = useTexts(healthTexts);
  const inOrder = SEVERITIES.flatMap((severity) => findings.filter((one) => one.severity === severity));
  return inOrder.length === 0 ? (
    <p>{t.noFinding}</p>
  ) : (
    <ul className={helpdesk.hits}>
      {inOrder.map((finding) => (
        <li key={`${finding.code} ${finding.text}`}>
          <OneFinding finding={finding} />
        </li>
      ))}
    </ul>
  );
}

/** A finding in the language of the page, with the server's own words, which name what it is about. */
function OneFinding({ finding }: { readonly finding: Installation['findings'][number] }): ReactNode {
  const t = useTexts(healthTexts);
  const { severity, code, text, remedy } = finding;
  const words = findingWords(code, useLanguage());
  const language = words === undefined ? { lang: 'en' } : {};
  return (
    <>
      <p>
        <Badge variant="light" tt="none" color={COLOURS[severity]}>
          {t.severities[severity]}
        </Badge>{' '}
        <span {...language}>
          <WithCode text={words?.text ?? text} />
        </span>{' '}
        <span className={helpdesk.quiet}>({code})</span>
      </p>
      <p className={helpdesk.verbatim}>
        {t.remedy}:{' '}
        <span {...language}>
          <WithCode text={words?.remedy ?? remedy} />
        </span>
      </p>
      {words !== undefined && (
        <details className={helpdesk.quiet}>
          <summary>{t.inDetail}</summary>
          <p lang="en">
            <WithCode text={`${text}. ${remedy}`} />
          </p>
        </details>
      )}
    </>
  );
}

function Webhooks({ webhooks }: Pick<Installation, 'webhooks'>): ReactNode {
  const t = useTexts(healthTexts);
  const format = useFormat();
  const troubled = webhooks.filter((webhook) => isFailing(webhook) || webhook.given_up > 0);
  return (
    <Part title={t.webhooks}>
      {troubled.length === 0 ? (
        <p>{t.webhooksWell(format.number(webhooks.length))}</p>
      ) : (
        <RecordTable
          label={t.webhooks}
          columns={[
            [
              t.webhook,
              ({ name }) => <Anchor href={`#/webhooks/${encodeURIComponent(name)}`}>{name}</Anchor>,
            ],
            [t.waiting, ({ waiting }) => format.number(waiting)],
            [t.givenUp, ({ given_up: number }) => format.number(number)],
            [t.lastSuccess, ({ last_success_at: at }) => format.time(at)],
            [
              t.lastFailure,
              ({ last_failure: reason, last_failure_at: at }) =>
                at === null ? '–' : `${reason}, ${format.time(at)}`,
            ],
          ]}
          rows={troubled}
          keyOf={({ name }) => name}
        />
      )}
    </Part>
  );
}

function Resolvers({ resolvers }: Pick<Installation, 'resolvers'>): ReactNode {
  const t = useTexts(healthTexts);
  const format = useFormat();
  return (
    <Part title={t.resolvers}>
      {resolvers.length === 0 ? (
        <p>{t.noResolver}</p>
      ) : (
        <RecordTable
          label={t.resolvers}
          columns={[
            [
              t.resolver,
              ({ resolver }) => (
                <Anchor href={`#/resolvers/${encodeURIComponent(resolver)}`}>{resolver}</Anchor>
              ),
            ],
            [
              t.state,
              ({ state }) => (
                <Badge variant="light" tt="none" color={STATE_COLOURS[state]}>
                  {t.states[state]}
                </Badge>
              ),
            ],
            [t.lastSuccess, ({ succeeded_at: at }) => format.time(at)],
            [t.lastFailure, ({ failed_at: at }) => format.time(at)],
          ]}
          rows={resolvers}
          keyOf={({ resolver }) => resolver}
        />
      )}
    </Part>
  );
}

function ResponsePart({ responses }: { readonly responses: Responses }): ReactNode {
  const t = useTexts(healthTexts);
  const format = useFormat();
  const rows = (['day', 'week', 'month'] as const).map((period) => ({ period, ...responses[period] }));
  return (
    <Part title={t.responses}>
      <RecordTable
        label={t.responses}
        columns={[
          [t.period, ({ period }) => t.periods[period]],
          [t.accepted, ({ accepted }) => format.number(accepted)],
          [t.refused, ({ refused }) => format.number(refused)],
          [t.expired, ({ expired }) => format.number(expired)],
        ]}
        rows={rows}
        keyOf={({ period }) => period}
      />
    </Part>
  );
}

function RefusedPart({ refused }: { readonly refused: Refused }): ReactNode {
  const t = useTexts(healthTexts);
  const format = useFormat();
  const maySee = useSession().may('admin', 'show');
  return (
    <Part title={t.people} lead={t.peopleLead}>
      {refused.length === 0 ? (
        <p>{t.nobody}</p>
      ) : (
        <RecordTable
          label={t.people}
          columns={[
            [t.owner, (token) => token.owner && <Owner token={token} />],
            [
              t.token,
              ({ serial, is_locked: locked }) => (
                <>
                  {maySee ? <Anchor href={`#${tokenAddress(serial)}`}>{serial}</Anchor> : serial}{' '}
                  {locked && (
                    <Badge variant="light" tt="none" color="red">
                      {t.locked}
                    </Badge>
                  )}
                </>
              ),
            ],
            [t.refusals, ({ refused_responses: refusals }) => format.number(refusals)],
            [t.last, ({ last_at: at }) => format.time(at)],
          ]}
          rows={refused}
          keyOf={({ serial }) => serial}
        />
      )}
    </Part>
  );
}
