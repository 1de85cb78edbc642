import { Button, NativeSelect, NavLink, useMantineColorScheme } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, Suspense, use, useEffect, useState } from 'react';
import { Link, Redirect, Route, Switch, useLocation } from 'wouter';
import { Failure } from '../design/failure.tsx';
import { Notices } from '../design/notices.tsx';
import { Page } from '../design/page.tsx';
import { Loading } from '../design/loading.tsx';
import { type Language, useLanguage, useTexts } from '../language/language.ts';
import { useSession, useSessionControl } from '../session/session.tsx';
import { type ConsolePage, GROUPS } from './console-page.ts';
import classes from './frame.module.css';
import { PageBoundary } from './page-boundary.tsx';
import { readAddress } from './page-address.ts';
import { PAGES } from './pages.ts';
import { SetLanguageContext } from './set-language.ts';
import { useSearchKey } from './use-search-key.ts';
import { shellTexts } from './shell-texts.ts';

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
      <header className={classes.header}>
        <Button
          className={classes.menu}
          variant="default"
          size="xs"
          aria-expanded={isMenuOpen}
          aria-controls="navigation"
          onClick={() => {
            setMenuOpen(!isMenuOpen);
          }}
        >
          {t.menu}
        </Button>
        <Link href="/" className={classes.brand}>
          Tankeeper
        </Link>
      </header>
      <div id="navigation" className={classes.side} data-open={isMenuOpen}>
        <Navigation pages={pages} location={location} />
        <Preferences />
      </div>
      <main id="content" className={classes.content} tabIndex={-1}>
        <Notices>
          <PageBoundary key={readAddress(location).path}>
            <Suspense fallback={<Loading />}>
              <Switch>
                {pages.map(({ path, hasView, component: Content }) => (
                  <Route key={path} path={hasView ? new RegExp(`^${path}(?:;.*)?$`, 's') : path}>
                    <Content />
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
        </Notices>
      </main>
    </div>
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
            <section key={group} className={classes.group} aria-label={t.groups[group]}>
              <h2 className={classes.groupName}>{t.groups[group]}</h2>
              {own.map(({ path, title }) => (
                <NavLink
                  key={path}
                  component="a"
                  href={`#${path}`}
                  label={title[language].title}
                  active={isWithin(location, path)}
                  aria-current={isWithin(location, path) ? 'page' : undefined}
                />
              ))}
            </section>
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

function Preferences(): ReactNode {
  const t = useTexts(shellTexts);
  const { administrator } = useSession();
  const { signOut } = useSessionControl();
  const leave = useMutation({ mutationFn: signOut });
  const setLanguage = use(SetLanguageContext);
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <aside className={classes.preferences} aria-label={t.preferences}>
      <strong className={classes.administrator}>{administrator}</strong>
      <Failure error={leave.error} />
      <Button
        variant="default"
        size="xs"
        loading={leave.isPending}
        onClick={() => {
          leave.mutate();
        }}
      >
        {t.signOut}
      </Button>
      <NativeSelect
        size="xs"
        label={t.language}
        value={useLanguage()}
        data={[
          { value: 'en', label: 'English' },
          { value: 'de', label: 'Deutsch' },
        ]}
        onChange={(event) => {
          setLanguage(event.currentTarget.value as Language);
        }}
      />
      <NativeSelect
        size="xs"
        label={t.theme}
        value={colorScheme}
        data={(['auto', 'light', 'dark'] as const).map((value) => ({ value, label: t.themes[value] }))}
        onChange={(event) => {
          setColorScheme(event.currentTarget.value as typeof colorScheme);
        }}
      />
    </aside>
  );
}

function UnknownPage(): ReactNode {
  const t = useTexts(shellTexts);
  return (
    <Page title={t.unknownPage}>
      <Link href="/">{t.toStart}</Link>
    </Page>
  );
}
