import type { ReactNode } from 'react';
import { SessionList } from '../account/session-list.tsx';
import { Page } from '../design/page.tsx';
import { useTexts } from '../language/language.ts';
import { administratorTexts } from './administrator-texts.ts';

/** The open sessions of everybody. */
export default function SessionsPage(): ReactNode {
  const t = useTexts(administratorTexts);
  return (
    <Page title={t.everybody} lead={t.sessionsLead}>
      <SessionList owner="*" />
    </Page>
  );
}
