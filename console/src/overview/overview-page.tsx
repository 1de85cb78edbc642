import { Alert } from '@mantine/core';
import type { ReactNode } from 'react';
import { skipToken, useQuery } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { Loading } from '../design/loading.tsx';
import { Page } from '../design/page.tsx';
import { useTexts } from '../language/language.ts';
import { useSession } from '../session/session.tsx';
import { FigureSection } from './figure-section.tsx';
import { FirstSteps, hasOpenSteps } from './first-steps.tsx';
import { InstallationSection } from './installation-section.tsx';
import { LiveStatus } from './live-status.tsx';
import { overviewTexts } from './overview-texts.ts';
import { RealmSection } from './realm-section.tsx';
import { ResolverSection } from './resolver-section.tsx';
import { ResponseSection } from './response-section.tsx';
import { type Overview, useOverview } from './use-overview.ts';

/** The state of the installation, as it changes. */
export default function OverviewPage(): ReactNode {
  const t = useTexts(overviewTexts);
  const { overview, connection, since } = useOverview();
  const maySee = useSession().may('system', 'read');
  const { data: steps } = useQuery({
    queryKey: ['first-steps'],
    queryFn: maySee ? ({ signal }) => call('/admin/installation/first-steps', {}, { signal }) : skipToken,
    staleTime: 0,
  });
  const isNew = steps !== undefined && hasOpenSteps(steps);
  return (
    <Page title={t.title} lead={<LiveStatus connection={connection} since={since} />}>
      {isNew && <FirstSteps steps={steps} />}
      {overview === undefined ? (
        connection === 'connecting' && <Loading />
      ) : (
        <Parts overview={overview} isEmpty={isNew && !steps.token} />
      )}
    </Page>
  );
}

interface PartsProps {
  readonly overview: Overview;
  /** True before the first token: the first steps stand in place of zeros. */
  readonly isEmpty: boolean;
}

function Parts({ overview, isEmpty }: PartsProps): ReactNode {
  const t = useTexts(overviewTexts);
  const { tokens, active_users: activeUsers, users, resolvers, responses } = overview;
  if (Object.values(overview).every((part) => part === null)) {
    return <Alert color="gray">{t.nothing}</Alert>;
  }
  return (
    <>
      {!isEmpty && <FigureSection tokens={tokens} activeUsers={activeUsers} />}
      {responses !== null && <ResponseSection responses={responses} />}
      <RealmSection tokens={tokens} activeUsers={activeUsers} />
      <InstallationSection overview={overview} />
      {(resolvers !== null || users !== null) && <ResolverSection resolvers={resolvers} users={users} />}
    </>
  );
}
