import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { tokensAddress } from '../helpdesk/addresses.ts';
import { useFormat } from '../language/format.ts';
import { useTexts } from '../language/language.ts';
import { useSession } from '../session/session.tsx';
import type { Overview } from './use-overview.ts';
import classes from './overview.module.css';
import { overviewTexts } from './overview-texts.ts';

const STATUSES = ['total', 'active', 'inactive', 'assigned', 'unassigned', 'locked'] as const;

interface FigureSectionProps {
  readonly tokens: Overview['tokens'];
  readonly activeUsers: Overview['active_users'];
}

/** The numbers of all visible realms together. */
export function FigureSection({ tokens, activeUsers }: FigureSectionProps): ReactNode {
  const t = useTexts(overviewTexts);
  const format = useFormat();
  const mayShow = useSession().may('admin', 'show');
  if (tokens === null && activeUsers === null) {
    return null;
  }
  return (
    <section className={classes.section} aria-label={t.tokens}>
      <dl className={classes.figures}>
        {tokens !== null &&
          STATUSES.map((status) => (
            <div key={status} className={classes.figure}>
              <dt>
                {t.tokens}, {t.statuses[status]}
              </dt>
              <dd>
                {mayShow ? (
                  <Anchor inherit href={`#${tokensAddress(status === 'total' ? 'all' : status)}`}>
                    {format.number(tokens.summary[status])}
                  </Anchor>
                ) : (
                  format.number(tokens.summary[status])
                )}
              </dd>
            </div>
          ))}
        {activeUsers !== null && (
          <div className={classes.figure}>
            <dt>{t.activeUsers}</dt>
            <dd>{format.number(activeUsers.total)}</dd>
          </div>
        )}
      </dl>
    </section>
  );
}
