import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Page } from '../design/page.tsx';
import { useTexts } from '../language/language.ts';
import { shellTexts } from './shell-texts.ts';

/** In place of a page whose address leads nowhere. */
export function UnknownPage(): ReactNode {
  const t = useTexts(shellTexts);
  return (
    <Page title={t.unknownPage}>
      <Link href="/">{t.toStart}</Link>
    </Page>
  );
}
