import { Anchor, Title } from '@mantine/core';
import { createContext, type ReactNode, useContext, useEffect, useRef } from 'react';
import { useTexts } from '../language/language.ts';
import { designTexts } from './design-texts.ts';
import { usePageTitle } from './installation.tsx';
import classes from './page.module.css';

/** The guide that explains the open page: a file of docs/guides without its ending. */
export const GuideContext = createContext<string | undefined>(undefined);

interface PageProps {
  readonly title: string;
  /** One or two sentences, or an element of them, below the title. */
  readonly lead?: ReactNode;
  /** Buttons beside the title. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A page with its title. Opening it shows its top, and moves the focus to the title, where screen readers begin. */
export function Page({ title, lead, actions, children }: PageProps): ReactNode {
  const t = useTexts(designTexts);
  const guide = useContext(GuideContext) ?? 'console';
  const heading = useRef<HTMLHeadingElement>(null);
  usePageTitle(title);
  useEffect(() => {
    // The browser stays where it was in the page before.
    scrollTo({ top: 0 });
    heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <article className={classes.page}>
      <header className={classes.head}>
        <div>
          <Title order={1} ref={heading} tabIndex={-1} className={classes.title}>
            {title}
          </Title>
          {lead !== undefined && <div className={classes.lead}>{lead}</div>}
        </div>
        <div className={classes.actions}>
          {actions}
          {/* The build has the guides beside the console. */}
          <Anchor size="sm" href={`guides/${guide}.txt`} target="_blank" rel="noopener">
            {t.documentation}
          </Anchor>
        </div>
      </header>
      {children}
    </article>
  );
}
