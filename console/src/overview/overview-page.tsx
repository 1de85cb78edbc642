import { Alert } from '@mantine/core';
import type { ReactNode } from 'react';
import { Loading } from '../design/loading.tsx';
import { Page } from '../design/page.tsx';
import { useTexts } from '../language/language.ts';
import { FigureSection } from './figure-section.tsx';
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
  return (
    <Page title={t.title} lead={<LiveStatus connection={connection} since={since} />}>
      {overview === undefined ? connection === 'connecting' && <Loading /> : <Parts overview={overview} />}
    </Page>
  );
}

function Parts({ overview }: { readonly overview: Overview }): ReactNode {
  const t = useTexts(overviewTexts);
  const { tokens, active_users: activeUsers, users, resolvers, responses } = overview;
  if (Object.values(overview).every((part) => part === null)) {
    return <Alert color="gray">{t.nothing}</Alert>;
  }
  return (
    <>
      <FigureSection tokens={tokens} activeUsers={activeUsers} />
      {responses !== null && <ResponseSection responses={responses} />}
      <RealmSection tokens={tokens} activeUsers={activeUsers} />
      <InstallationSection overview={overview} />
      {(resolvers !== null || users !== null) && <ResolverSection resolvers={resolvers} users={users} />}
    </>
  );
}
