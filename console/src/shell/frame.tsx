import { Button, NavLink } from '@mantine/core';
import { type ReactNode, Suspense, useEffect, useState } from 'react';
import { Link, Redirect, Route, Switch, useLocation } from 'wouter';
import { StandingDialogs } from '../design/dialog.tsx';
import { InstallationName } from '../design/installation.tsx';
import { Notices } from '../design/notices.tsx';
import { GuideContext } from '../design/page.tsx';
import { Loading } from '../design/loading.tsx';
import { useLanguage, useTexts } from '../language/language.ts';
import { useSession } from '../session/session.tsx';
import { type ConsolePage, GROUPS, PagesContext } from './console-page.ts';
import classes from './frame.module.css';
import { PageBoundary } from './page-boundary.tsx';
import { readAddress } from './page-address.ts';
import { PAGES } from './pages.ts';
import { useSearchKey } from './use-search-key.ts';
import { shellTexts } from './shell-texts.ts';
import { UnknownPage } from './unknown-page.tsx';
import { UserMenu } from './user-menu.tsx';

/** Header, navigation and the open page. */
export function Frame(): ReactNode {
  const t = useTexts(shellTexts);
  const session = useSession();
  const [location] = useLocation();
  const [isMenuOpen, setMenuOpen] = useState(false);
  // The rights of portals alone are no reason to begin with a page of theirs.
  const hasOffice = session.rights.some(({ scope }) => scope !== 'ocra');
  const pages = PAGES.filter((page) => page.isFor(session));
  useEffect(() => {
    setMenuOpen(false);
  }, [location]);
  return (
    <div className={classes.frame}>
      <a className={classes.skip} href="#content" onClick={focusContent}>
        {t.skip}
      </a>
      <Header isMenuOpen={isMenuOpen} onMenuOpen={setMenuOpen} />
      <div id="navigation" className={classes.side} data-open={isMenuOpen}>
        <Navigation pages={pages} location={location} />
      </div>
      <main id="content" className={classes.content} tabIndex={-1}>
        <Notices>
          <PagesContext value={pages}>
            <StandingDialogs>
              <PageBoundary key={readAddress(location).path}>
                <Suspense fallback={<Loading />}>
                  <Switch>
                    {pages.map(({ path, hasView, guide, component: Content }) => (
                      <Route key={path} path={hasView ? new RegExp(`^${path}(?:;.*)?$`, 's') : path}>
                        <GuideContext value={guide}>
                          <Content />
                        </GuideContext>
                      </Route>
                    ))}
                    <Route path="/">
                      <Redirect to={hasOffice ? (pages[0]?.path ?? '/account') : '/account'} replace />
                    </Route>
                    <Route>
                      <UnknownPage />
                    </Route>
                  </Switch>
                </Suspense>
              </PageBoundary>
            </StandingDialogs>
          </PagesContext>
        </Notices>
      </main>
    </div>
  );
}

interface HeaderProps {
  readonly isMenuOpen: boolean;
  readonly onMenuOpen: (isOpen: boolean) => void;
}

function Header({ isMenuOpen, onMenuOpen }: HeaderProps): ReactNode {
  const t = useTexts(shellTexts);
  return (
    <header className={classes.header}>
      <Button
        className={classes.menu}
        variant="default"
        size="xs"
        aria-expanded={isMenuOpen}
        aria-controls="navigation"
        onClick={() => {
          onMenuOpen(!isMenuOpen);
        }}
      >
        {t.menu}
      </Button>
      <Link href="/" className={classes.brand}>
        <InstallationName />
      </Link>
      <UserMenu />
    </header>
  );
}

/** The address after `#` is that of the page, so the link moves the focus itself. */
function focusContent(event: { preventDefault: () => void }): void {
  event.preventDefault();
  document.querySelector<HTMLElement>('#content')?.focus();
}

function Navigation({
  pages,
  location,
}: {
  readonly pages: readonly ConsolePage[];
  readonly location: string;
}): ReactNode {
  const t = useTexts(shellTexts);
  const language = useLanguage();
  useSearchKey(pages.some(({ path }) => path === '/search'));
  return (
    <nav aria-label={t.navigation}>
      {GROUPS.map((group) => {
        const own = pages.filter((page) => page.group === group);
        return (
          own.length > 0 && (
            <details key={group} className={classes.group} open>
              <summary className={classes.groupName}>{t.groups[group]}</summary>
              {own.map(({ path, title }) => (
                <NavLink
                  key={path}
                  className={classes.link}
                  component="a"
                  href={`#${path}`}
                  label={title[language].title}
                  active={isWithin(location, path)}
                  aria-current={isWithin(location, path) ? 'page' : undefined}
                />
              ))}
            </details>
          )
        );
      })}
    </nav>
  );
}

function isWithin(location: string, path: string): boolean {
  const { path: own } = readAddress(location);
  return own === path || (path !== '/' && own.startsWith(`${path}/`));
}
